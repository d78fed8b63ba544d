//! Messages of the load: what they carry, what is written into it when they go out, and which are out.

pub mod flight;
pub mod number;
pub mod own;
pub mod payload;
pub mod stamp;
pub mod template;
