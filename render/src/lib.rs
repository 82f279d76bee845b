//! catherd-render
