//! swarm: a load generator for WebSocket servers. Sends on schedule, measures from the intended time.

pub mod accounts;
pub mod arrivals;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod config;
pub mod connection;
pub mod crew;
pub mod dialect;
pub mod input;
pub mod load;
pub mod message;
pub mod percent;
pub mod random;
pub mod report;
pub mod secrets;
pub mod tally;
pub mod tls;
pub mod websocket;
pub mod worker;
