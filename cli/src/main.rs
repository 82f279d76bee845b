//! catherd
fn main() {}
