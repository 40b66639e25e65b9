use std::fs;
use std::path::{Path, PathBuf};

use crate::report::{self, Section};
use crate::run::fill;
use crate::study::Study;
use crate::{Error, Size, active, calibration, domains, rivals, robustness, scale, weights};

/// What can be found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Experiment {
    /// Weights fitted to sampled trees, and the paper's two theorems (section 4.1).
    Weights,
    /// Questions chosen or at random, three engines (section 4.2 of the paper).
    Active,
    /// Grove beside CASCADE and DELUGE (section 4.3).
    Rivals,
    /// Body parts, kitchen utensils and food (section 4.4).
    Domains,
    /// Whether certainties come true as often as they say.
    Calibration,
    /// Wrong noise, straight-liners, divided people, priors, batches, several votes a question.
    Robustness,
    /// Time and memory a vote, and questions a concept, by size.
    Scale,
}

impl Experiment {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 7] = [
        Self::Weights,
        Self::Active,
        Self::Rivals,
        Self::Domains,
        Self::Calibration,
        Self::Robustness,
        Self::Scale,
    ];

    /// The name by which a user asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Active => "active",
            Self::Rivals => "rivals",
            Self::Domains => "domains",
            Self::Calibration => "calibration",
            Self::Robustness => "robustness",
            Self::Scale => "scale",
        }
    }

    /// The experiment of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name)
    }

    fn studies(self, size: Size, seed: u64) -> Vec<Study> {
        match self {
            Self::Weights => weights::studies(size, seed),
            Self::Active => active::studies(size, seed),
            Self::Rivals => rivals::studies(size, seed),
            Self::Domains => domains::studies(size, seed),
            Self::Calibration => calibration::studies(size, seed),
            Self::Robustness => robustness::studies(size, seed),
            Self::Scale => scale::studies(size, seed),
        }
    }

    pub(crate) fn tell(self, tables: &Tables) -> Result<Section, Error> {
        match self {
            Self::Weights => weights::tell(tables),
            Self::Active => active::tell(tables),
            Self::Rivals => rivals::tell(tables),
            Self::Domains => domains::tell(tables),
            Self::Calibration => calibration::tell(tables),
            Self::Robustness => robustness::tell(tables),
            Self::Scale => scale::tell(tables),
        }
    }
}

/// Where and how experiments are run.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The folder of RESULTS.md; tables and plots go to `results` in it.
    pub out: PathBuf,
    /// How large.
    pub size: Size,
    /// The first seed; the runs of a setting take one after the other.
    pub seed: u64,
    /// How many cells at once.
    pub threads: usize,
}

impl Options {
    pub(crate) fn folder(&self) -> PathBuf {
        folder(&self.out)
    }
}

pub(crate) fn folder(out: &Path) -> PathBuf {
    out.join("results")
}

/// Told how far an experiment is.
pub trait Progress: Sync {
    /// A table is begun with so many cells to compute, and so many known already.
    fn begin(&self, table: &str, cells: usize, known: usize);
    /// A cell is done.
    fn step(&self);
    /// The table is done.
    fn end(&self);
}

/// Says nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: usize, _: usize) {}
    fn step(&self) {}
    fn end(&self) {}
}

/// The tables of one experiment.
pub(crate) struct Tables {
    folder: PathBuf,
    experiment: &'static str,
}

impl Tables {
    pub(crate) fn of(experiment: Experiment, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), experiment: experiment.name() }
    }

    pub(crate) fn read(&self, name: &str) -> Result<crate::table::Table, Error> {
        crate::table::Table::read(&self.folder, name, self.experiment)
    }
}

/// Runs an experiment: fills its tables, and writes its page and plots beside them. Gives back the page.
///
/// Cells that a table has already are not computed again.
///
/// # Errors
/// [`Error::Io`] and [`Error::BadTable`] where the folder or a table is not usable.
pub fn run(experiment: Experiment, options: &Options, progress: &dyn Progress) -> Result<String, Error> {
    let folder = options.folder();
    for study in experiment.studies(options.size, options.seed) {
        fill(&study, &folder, options.size, options.threads, progress)?;
    }
    let section = experiment.tell(&Tables::of(experiment, &folder))?;
    report::write_figures(&section, &folder)?;
    let page = folder.join(experiment.name()).with_extension("md");
    fs::write(&page, section.page("")).map_err(Error::io(&page))?;
    Ok(section.page(""))
}
