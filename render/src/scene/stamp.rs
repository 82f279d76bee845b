//! Stamps.
