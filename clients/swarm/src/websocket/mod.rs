//! WebSocket as a client speaks it: RFC 6455, and permessage-deflate of RFC 7692.

pub mod close;
pub mod deflate;
pub mod frame;
pub mod handshake;
pub mod reader;
