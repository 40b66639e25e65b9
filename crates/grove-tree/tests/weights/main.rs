//! Distributions over trees against references computed by other methods.

mod common;
mod enumeration;
mod laws;
mod reference;
mod sampling;
