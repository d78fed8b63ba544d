//! The results of a load: records of the contract, a text for people, JSON for programs.

mod advice;
pub mod failure;
pub mod json;
pub mod latencies;
pub mod live;
mod notes;
pub mod numbers;
pub mod records;
mod remedy;
pub mod summary;
pub mod text;
