//! catherd-coordinator
