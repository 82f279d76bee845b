//! catherd-proto
