//! From tables to docs/RESULTS.md.

use std::fs;
use std::path::{Path, PathBuf};

use crate::experiment::{Tables, folder};
use crate::markdown::MarkdownTable;
use crate::table::Table;
use crate::{Error, Experiment, Size};

/// A plot and the file that it goes to.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) file: String,
    pub(crate) says: String,
    pub(crate) svg: String,
}

impl Figure {
    pub(crate) fn new(file: impl Into<String>, says: impl Into<String>, svg: String) -> Self {
        Self { file: file.into(), says: says.into(), svg }
    }

    /// Puts it at the end of a section's text so far.
    pub(crate) fn show(self, text: &mut String, figures: &mut Vec<Self>) {
        text.push_str(&format!("\n![{}]\n", self.file));
        figures.push(self);
    }
}

/// What one experiment has to say.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// Whose it is.
    experiment: Experiment,
    /// Paragraphs and tables of Markdown. A line `![NAME]` stands for the figure of that file.
    pub(crate) text: String,
    pub(crate) figures: Vec<Figure>,
    /// The heart of it: what, what the paper says, what was found.
    pub(crate) summary: Vec<[String; 3]>,
    /// The size of the runs, and the time that all cells took.
    size: Size,
    seconds: f64,
}

impl Section {
    /// What an experiment's tables, the first of which says how large it was, have to say.
    pub(crate) fn new(
        experiment: Experiment,
        title: &'static str,
        tables: &[&Table],
        text: String,
        figures: Vec<Figure>,
        summary: Vec<[String; 3]>,
    ) -> Result<Self, Error> {
        let seconds = tables.iter().map(|table| table.seconds()).sum::<Result<f64, Error>>()?;
        Ok(Self { title, experiment, text, figures, summary, size: tables[0].size(), seconds })
    }

    /// The section as Markdown, with figures found in this folder.
    pub(crate) fn page(&self, folder: &str) -> String {
        let mut text = self.text.clone();
        for figure in &self.figures {
            let image = format!("![{}]({folder}{}.svg)", figure.says, figure.file);
            text = text.replace(&format!("![{}]", figure.file), &image);
        }
        let size = match self.size {
            Size::Full => String::new(),
            Size::Quick => "**A quick run, to see that it runs: its figures mean nothing.**\n\n".to_owned(),
        };
        format!(
            "## {}\n\n{size}Made by `grove lab {}`; {:.0} minutes of one core.\n\n{}\n",
            self.title,
            self.experiment.name(),
            (self.seconds / 60.0).ceil(),
            text.trim()
        )
    }
}

pub(crate) fn write_figures(section: &Section, folder: &Path) -> Result<(), Error> {
    for figure in &section.figures {
        let path = folder.join(&figure.file).with_extension("svg");
        fs::write(&path, &figure.svg).map_err(Error::io(&path))?;
    }
    Ok(())
}

/// Writes RESULTS.md and all plots from the tables alone. Gives back the page's path.
///
/// # Errors
/// [`Error::NoResults`] where an experiment was never run, [`Error::BadTable`], and [`Error::Io`].
pub fn report(out: &Path) -> Result<PathBuf, Error> {
    let folder = folder(out);
    let mut sections = Vec::new();
    for experiment in Experiment::ALL {
        let section = experiment.tell(&Tables::of(experiment, &folder))?;
        write_figures(&section, &folder)?;
        sections.push(section);
    }
    let path = out.join("RESULTS.md");
    fs::write(&path, page(&sections)).map_err(Error::io(&path))?;
    Ok(path)
}

fn page(sections: &[Section]) -> String {
    let minutes: f64 = sections.iter().map(|section| section.seconds / 60.0).sum();
    let mut text = format!(
        "# Results\n\n{INTRODUCTION}\n\nAll cells together took {minutes:.0} minutes of one core of a shared machine, which is {:.0} \
         minutes on two free ones.\n\n",
        minutes / 2.0
    );
    let mut summary = MarkdownTable::new(&["", "the paper", "here"]);
    sections.iter().flat_map(|section| &section.summary).for_each(|row| summary.row(row));
    text.push_str(&format!("## In short\n\n{}\n", summary.text()));
    for section in sections {
        text.push_str(&section.page("results/"));
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

const INTRODUCTION: &str = "\
The experiments of Sun, Singla, Fox and Krause, *Building Hierarchies of Concepts via Crowdsourcing* (IJCAI 2015), here \"the paper\", and ours \
beside them. This page and its plots are made by `grove lab report` from the tables in `results/`; `grove lab NAME` fills those, and goes on where \
it was broken off: where a table has fewer runs than the program plans, it adds the others. A result depends on its settings and seed alone; times and memory depend on the machine too. Lines are means over runs, bands \
the middle 80 % of runs. AUC is the paper's: over all pairs of a parent (the root too) and a child, the chance that a true edge is held \
likelier than a false one.";
