//! catherd-testgen
