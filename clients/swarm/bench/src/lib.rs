//! The fixtures of `make bench-swarm`: what swarm is measured against. They record nothing and check only what an echo
//! needs, so that what is left is the cost of the kernel.

pub mod carrier;
pub mod connection;
pub mod deflated;
pub mod frames;
pub mod server;
pub mod upgrade;
pub mod websocket;
