//! catherd-analysis
