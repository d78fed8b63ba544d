//! What a load leaves: the contract's records, and what a person reads.

pub mod records;
pub mod summary;
pub mod text;
