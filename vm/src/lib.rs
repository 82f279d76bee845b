//! The deterministic Scratch virtual machine.
