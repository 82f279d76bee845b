//! catherd-search
