//! The experiments behind Grove's claims: the paper's, its rivals', and ours beside them.
//!
//! An [`Experiment`] is a set of cells (settings and seed) that do not depend on each other; each becomes one row of a CSV table. [`run()`]
//! computes the cells that a table lacks, so that a run which was broken off goes on where it stopped; [`report()`] makes a page
//! with plots and tables out of the CSV files alone. A row depends on its settings and seed alone, times and memory excepted.

mod active;
mod asking;
mod calibration;
mod curves;
mod domains;
mod error;
mod experiment;
mod markdown;
mod plot;
mod report;
mod rivals;
mod robustness;
mod run;
mod scale;
mod statistics;
mod stopwatch;
mod study;
mod table;
mod truth;
mod weights;

pub use error::Error;
pub use experiment::{Experiment, Options, Progress, Silent, run};
pub use report::report;
pub use study::Size;
