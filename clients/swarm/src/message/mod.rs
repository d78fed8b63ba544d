//! Messages of the load: payloads, stamps written at sending, and the messages in flight.

pub mod data;
pub mod flight;
pub mod number;
pub mod own;
pub mod payload;
pub mod stamp;
pub mod template;
