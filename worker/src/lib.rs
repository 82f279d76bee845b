//! catherd-worker
