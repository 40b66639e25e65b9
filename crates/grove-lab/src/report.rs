//! From tables to docs/RESULTS.md.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use askama::Template;
use grove_belief::ENGINE_REVISION;

use crate::table::Origin;
use crate::{Error, Experiment, Size};

/// A plot, its file name without extension, and its description.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) file: String,
    pub(crate) caption: String,
    pub(crate) svg: String,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "![{}](results/{}.svg)", self.caption, self.file)
    }
}

/// The results of one experiment.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) text: String,
    pub(crate) figures: Vec<Figure>,
    /// The most important results: what was measured, what the paper says, and what was found.
    pub(crate) summary: Vec<[String; 3]>,
    origin: Origin,
}

impl Section {
    /// A section from its rendered text and the tables that it is based on, the first of which tells the size.
    pub(crate) fn new(
        text: &impl Template,
        figures: Vec<Figure>,
        summary: Vec<[String; 3]>,
        origins: &[Origin],
    ) -> Self {
        let seconds = origins.iter().map(|origin| origin.seconds).sum();
        let revision = origins.iter().map(|origin| origin.revision).min().unwrap_or_default();
        Self { text: render(text), figures, summary, origin: Origin { seconds, revision, ..origins[0] } }
    }

    /// The section as Markdown.
    pub(crate) fn page(&self, experiment: Experiment) -> String {
        render(&SectionPage { experiment, section: self })
    }
}

#[derive(Template)]
#[template(path = "section.md", escape = "none")]
struct SectionPage<'a> {
    experiment: Experiment,
    section: &'a Section,
}

#[derive(Template)]
#[template(path = "results.md", escape = "none")]
struct ResultsPage {
    minutes: f64,
    summary: String,
    sections: Vec<String>,
}

pub(crate) fn render(template: &impl Template) -> String {
    template.render().expect("rendering to a string does not fail")
}

/// Writes RESULTS.md and all plots from the tables alone. An experiment that was not run yet is named as such. Returns the path of the page.
///
/// # Errors
/// [`Error::NoResults`] if no experiment was ever run, [`Error::BadTable`], and [`Error::Io`].
pub fn report(out: &Path) -> Result<PathBuf, Error> {
    let (mut minutes, mut summary, mut sections) = (0.0, Vec::new(), Vec::new());
    let mut missing = None;
    for experiment in Experiment::ALL {
        match experiment.report(out.join("results")) {
            Ok(section) => {
                minutes += section.origin.seconds / 60.0;
                sections.push(section.page(experiment));
                summary.extend(section.summary);
            }
            Err(error @ Error::NoResults { .. }) => {
                let (title, name) = (experiment.title(), experiment.name());
                sections.push(format!("## {title}\n\nNot computed yet: run `grove lab {name}`."));
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = missing.filter(|_| summary.is_empty()) {
        return Err(error);
    }
    let page = ResultsPage { minutes, summary: markdown_rows(summary), sections };
    let path = out.join("RESULTS.md");
    fs::write(&path, render(&page)).map_err(Error::io(&path))?;
    Ok(path)
}

/// The rows of a Markdown table, whose head is in a template.
pub(crate) fn markdown_rows<R: AsRef<[String]>>(rows: impl IntoIterator<Item = R>) -> String {
    let rows: Vec<String> = rows.into_iter().map(|row| format!("| {} |", row.as_ref().join(" | "))).collect();
    rows.join("\n")
}

/// Texts separated by commas.
pub(crate) fn list(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().collect::<Vec<_>>().join(", ")
}

/// A row of the summary: what was measured, what the paper says, and what was found.
pub(crate) fn summary_row(what: impl Into<String>, paper: &str, here: String) -> [String; 3] {
    [what.into(), paper.to_owned(), here]
}

/// A number with this many decimals (with thousands separators, if none), or a dash; infinity means "not reached".
pub(crate) fn digits(value: Option<f64>, digits: usize) -> String {
    match value {
        Some(value) if value.is_finite() && digits == 0 => thousands(value),
        Some(value) if value.is_finite() => format!("{value:.digits$}"),
        Some(_) => "not reached".to_owned(),
        None => "-".to_owned(),
    }
}

/// A whole number with thousands separators.
pub(crate) fn thousands(value: f64) -> String {
    let figures = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (at, figure) in figures.chars().enumerate() {
        if at > 0 && (figures.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(figure);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_numbers() {
        assert_eq!(
            markdown_rows([["x", "2"], ["y", "3"]].map(|row| row.map(str::to_owned))),
            "| x | 2 |\n| y | 3 |"
        );
        assert_eq!(
            [0.0, 999.0, 1_000.0, 49_500.0, 1e6].map(thousands),
            ["0", "999", "1,000", "49,500", "1,000,000"]
        );
        assert_eq!([digits(Some(0.12345), 3), digits(Some(1_234.5), 0)], ["0.123", "1,234"]);
        assert_eq!([digits(None, 1), digits(Some(f64::INFINITY), 1)], ["-", "not reached"]);
    }
}
