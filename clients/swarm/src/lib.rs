//! swarm: load for WebSocket servers, on schedule, recorded from the intended time.

pub mod accounts;
pub mod arrivals;
pub mod cli;
pub mod clock;
pub mod config;
pub mod connection;
pub mod counts;
pub mod crew;
pub mod dialect;
pub mod flight;
pub mod load;
pub mod number;
pub mod payload;
pub mod random;
pub mod records;
pub mod report;
pub mod shared;
pub mod sketch;
pub mod socket;
pub mod spread;
pub mod summary;
pub mod tally;
pub mod timer;
pub mod websocket;
pub mod wheel;
pub mod worker;
