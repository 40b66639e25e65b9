//! Distributions over trees against references computed by other methods.

mod checks;
mod common;
mod corpus;
mod enumeration;
mod laws;
mod reference;
mod sampling;
