use std::fs;
use std::path::PathBuf;

use crate::report::Section;
use crate::study::{Study, fill};
use crate::table::Tables;
use crate::{
    Error, Share, Size, active, calibration, dissent, domains, forms, models, real, rivals, robustness,
    scale, weights,
};

/// An experiment of the lab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Experiment {
    /// Weights fitted to sampled trees, and the paper's two theorems (section 4.1).
    Weights,
    /// Chosen and random questions with three engines (section 4.2 of the paper).
    Active,
    /// A comparison with CASCADE and DELUGE (section 4.3).
    Rivals,
    /// Body parts, kitchen utensils and food (section 4.4).
    Domains,
    /// Whether stated certainties come true as often as they say.
    Calibration,
    /// Whether people who differ are distinguished from too few votes.
    Dissent,
    /// What picks and ticks save beside yes/no.
    Forms,
    /// What a language model saves, and what a useless one costs.
    Models,
    /// Votes on random questions by realistic people, and large logs.
    Real,
    /// Wrong noise, straight-liners, disagreement, priors, batches, several votes per question.
    Robustness,
    /// Time and memory per vote, and questions per concept, by size.
    Scale,
}

/// The name, title, cells and report of an experiment.
type Parts = (&'static str, &'static str, fn(Size, u64) -> Vec<Study>, fn(&Tables) -> Result<Section, Error>);

impl Experiment {
    /// All experiments, in the order of the report.
    pub const ALL: [Self; 11] = [
        Self::Weights,
        Self::Active,
        Self::Rivals,
        Self::Domains,
        Self::Calibration,
        Self::Dissent,
        Self::Forms,
        Self::Models,
        Self::Real,
        Self::Robustness,
        Self::Scale,
    ];

    fn parts(self) -> Parts {
        match self {
            Self::Weights => ("weights", "Weights from samples", weights::studies, weights::report),
            Self::Active => ("active", "Active and random questions", active::studies, active::report),
            Self::Rivals => ("rivals", "Compared with CASCADE and DELUGE", rivals::studies, rivals::report),
            Self::Domains => ("domains", "Three domains", domains::studies, domains::report),
            Self::Calibration => ("calibration", "Calibration", calibration::studies, calibration::report),
            Self::Dissent => ("dissent", "Where people differ", dissent::studies, dissent::report),
            Self::Forms => ("forms", "More than yes and no", forms::studies, forms::report),
            Self::Models => ("models", "Language models", models::studies, models::report),
            Self::Real => ("real", "Votes as they come", real::studies, real::report),
            Self::Robustness => ("robustness", "Robustness", robustness::studies, robustness::report),
            Self::Scale => ("scale", "Scale", scale::studies, scale::report),
        }
    }

    /// The name by which a user asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.parts().0
    }

    pub(crate) fn title(self) -> &'static str {
        self.parts().1
    }

    /// The experiment of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name)
    }

    /// The tables that it fills.
    pub(crate) fn studies(self, size: Size, seed: u64) -> Vec<Study> {
        self.parts().2(size, seed)
    }

    /// Makes the section and plots of an experiment from its tables.
    pub(crate) fn report(self, folder: PathBuf) -> Result<Section, Error> {
        let tables = Tables { folder, experiment: self.name() };
        let section = self.parts().3(&tables)?;
        for figure in &section.figures {
            let path = tables.folder.join(&figure.file).with_extension("svg");
            fs::write(&path, &figure.svg).map_err(Error::io(&path))?;
        }
        Ok(section)
    }
}

/// Where and how experiments are run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of RESULTS.md; tables and plots go to its subfolder `results`.
    pub out: PathBuf,
    /// Full or quick.
    pub size: Size,
    /// The first seed; the runs of a setting use consecutive seeds.
    pub seed: u64,
    /// How many cells to compute at once.
    pub threads: usize,
    /// Which cells to compute, if several machines run the experiment.
    pub share: Share,
}

/// Receives the progress of an experiment.
pub trait Progress: Sync {
    /// A table is started, with this many cells to compute and this many known already.
    fn begin(&self, _table: &str, _cells: usize, _known: usize) {}
    /// A cell is done.
    fn step(&self) {}
    /// The table is done.
    fn end(&self) {}
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {}

/// Runs an experiment: fills its tables, writes its page and plots beside them, and returns the page. As long as cells are missing that
/// others compute, there is no page, and it says how to get it.
///
/// Cells that a table already has are not computed again.
///
/// # Errors
/// [`Error::Io`] and [`Error::BadTable`] if the folder or a table is not usable, and [`Error::Database`] if cells are shared by a database.
pub fn run(experiment: Experiment, options: &Options, progress: &dyn Progress) -> Result<String, Error> {
    let folder = options.out.join("results");
    let mut missing = 0;
    for study in experiment.studies(options.size, options.seed) {
        missing += fill(&study, &folder, options, progress)?;
    }
    if missing > 0 {
        return Ok(unfinished(experiment, options, missing));
    }
    let path = folder.join(experiment.name()).with_extension("md");
    // The plots are in the same folder as this page.
    let page = experiment.report(folder)?.page(experiment).replace("](results/", "](");
    fs::write(&path, &page).map_err(Error::io(&path))?;
    Ok(page)
}

/// What to do when others compute the rest.
fn unfinished(experiment: Experiment, options: &Options, missing: usize) -> String {
    let (name, out) = (experiment.name(), options.out.display());
    match &options.share {
        Share::Shard(shard) => format!(
            "Part {shard} of {name} is done; {missing} cells belong to other parts. When all are done: grove lab merge {out} FOLDER...\n"
        ),
        Share::All | Share::Database(_) => format!(
            "{missing} cells of {name} are being computed by others. Run the same command again to collect them.\n"
        ),
    }
}
