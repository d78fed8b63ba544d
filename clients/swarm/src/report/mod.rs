//! What a load leaves: the contract's records, what a person reads, and what a program reads.

mod advice;
pub mod failure;
pub mod json;
pub mod latencies;
pub mod live;
pub mod records;
mod remedy;
pub mod summary;
pub mod text;
