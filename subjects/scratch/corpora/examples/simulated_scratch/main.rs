//! Simulation of Scratch's servers, for `catherd dataset sample` without a network:
//!
//! ```text
//! cargo run --release -p catherd-scratch-corpora --example simulated_scratch -- 8117 100
//! ```
//!
//! The arguments are the port and the number of faults per 1000 requests.
#![allow(clippy::print_stdout)]

mod server;

use std::thread;

use server::{Population, Server};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse().expect("two whole numbers"));
    let port = numbers.next().unwrap_or(8117);
    let faults = numbers.next().unwrap_or(100);
    let server = Server::start(Population::new(1, faults), port as u16).expect("the port is free");
    println!("http://{}: about {faults} of 1000 requests have a fault", server.address);
    loop {
        thread::park();
    }
}
