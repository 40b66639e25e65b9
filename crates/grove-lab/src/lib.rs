//! The experiments behind Grove's claims: those of the paper, comparisons with its rivals, and our own.
//!
//! An [`Experiment`] consists of independent cells (settings and seed), each of which becomes one row of a CSV table. [`run()`]
//! computes the cells that a table lacks, so an interrupted run continues where it stopped. [`report()`] makes a page with plots
//! and tables from the CSV files alone. Apart from times and memory, a row depends only on its settings and seed.

mod active;
mod calibration;
mod dissent;
mod domains;
mod error;
mod experiment;
mod forms;
mod merge;
mod models;
mod plot;
mod process;
mod queue;
mod real;
mod reliability;
mod report;
mod rivals;
mod robustness;
mod scale;
mod shard;
mod shared_cells;
mod statistics;
mod study;
mod table;
mod trial;
mod weights;

/// What the experiments share: cells, rows, statistics, tables and plots.
mod prelude {
    pub(crate) use askama::Template;
    pub(crate) use rand::SeedableRng;
    pub(crate) use rand_chacha::ChaCha8Rng;
    pub(crate) use serde::Deserialize;

    pub(crate) use crate::Error;
    pub(crate) use crate::plot::{Axis, Line, LineStyle, Plot, Point};
    pub(crate) use crate::report::{Figure, Section, digits, list, markdown_rows, summary_row, thousands};
    pub(crate) use crate::statistics::*;
    pub(crate) use crate::study::{Size, Study};
    pub(crate) use crate::table::{Curve, Tables, or_empty};
    pub(crate) use crate::trial::{Asking, Engine, Outcome, Trial, Truth, auc, crowd_named};
}

pub use error::Error;
pub use experiment::{Experiment, Options, Progress, Silent, run};
pub use merge::{Merged, merge};
pub use queue::Share;
pub use report::report;
pub use shard::Shard;
pub use shared_cells::SharedCells;
pub use study::Size;
