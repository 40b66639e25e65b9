//! Distributions over trees against oracles that do not share their method.

mod common;
mod enumeration;
mod laws;
mod reference;
mod sampling;
