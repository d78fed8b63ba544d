//! Fixtures of `make bench-swarm`, the baseline for swarm. They record nothing and check only what an echo needs. What
//! remains is the cost of the kernel.

pub mod carrier;
pub mod connection;
pub mod deflated;
pub mod frames;
pub mod server;
pub mod upgrade;
pub mod websocket;
