//! The binary as users execute it. One program of all files: a program of each would link the same
//! crates thirty times.

mod action;
mod adapters;
mod archive;
mod assertion_minimisation;
mod bad_input;
mod capacity;
mod chaos;
mod classes;
mod connections;
mod coordinator;
mod dataset;
mod format_1;
mod grids;
mod handwritten;
mod help;
mod import;
mod itch;
mod kubernetes;
mod machine;
mod own_tool;
mod programs;
mod pynguin;
mod races;
mod report;
mod security;
mod sequences;
mod sequences_studies;
mod sequences_tools;
mod shown_study;
mod stats;
mod stores;
mod study;
mod suites;
mod support;
mod whisker_adapter;
