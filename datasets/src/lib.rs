//! catherd-datasets
