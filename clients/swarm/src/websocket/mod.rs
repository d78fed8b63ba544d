//! WebSocket as a client speaks it: RFC 6455, without extensions.

pub mod close;
pub mod frame;
pub mod handshake;
pub mod reader;
