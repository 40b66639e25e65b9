//! The experiments behind Grove's claims: those of the paper, its rivals, and our own.
//!
//! An [`Experiment`] consists of independent cells (settings and seed), each of which becomes one row of a CSV table. [`run()`]
//! computes the cells that a table lacks, so an interrupted run continues where it stopped. [`report()`] makes a page with plots
//! and tables from the CSV files alone. Apart from times and memory, a row depends only on its settings and seed.

mod active;
mod calibration;
mod domains;
mod error;
mod experiment;
mod plot;
mod process;
mod report;
mod rivals;
mod robustness;
mod scale;
mod statistics;
mod study;
mod table;
mod trial;
mod weights;

pub use error::Error;
pub use experiment::{Experiment, Options, Progress, Silent, run};
pub use report::report;
pub use study::Size;
