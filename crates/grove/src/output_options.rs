//! Options about a hierarchy that is written: where to, and what the file says about it.

use std::path::{Path, PathBuf};

use grove_formats::{Format, Heading, Hierarchy, Relation, WriteOptions, write};

use crate::files;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Output options")]
pub(crate) struct OutputOptions {
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The title [default: the root's name].
    #[arg(long)]
    title: Option<String>,
    /// The language of the names, as a tag such as en, de or pt-BR.
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// What "above" means: is-a, part-of, look-under, or a question with {child} and {parent}.
    #[arg(long, value_name = "RELATION", value_parser = check_relation)]
    relation: Option<String>,
    /// The address that precedes every identifier in SKOS, OWL and SSSOM, ending in / or #.
    #[arg(long, value_name = "IRI", value_parser = check_base)]
    base: Option<String>,
    /// The licence of the output, as an address.
    #[arg(long, value_name = "IRI")]
    license: Option<String>,
}

impl OutputOptions {
    /// The file to write, if not standard output.
    pub(crate) fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// The hierarchy with the heading that the options ask for.
    pub(crate) fn apply(&self, hierarchy: Hierarchy) -> anyhow::Result<Hierarchy> {
        let own = hierarchy.heading().clone();
        let heading = Heading {
            title: self.title.clone().unwrap_or(own.title),
            language: self.language.clone().unwrap_or(own.language),
            relation: self.relation.as_deref().map_or(own.relation, Relation::from_text),
            root: own.root,
            origin: own.origin,
        };
        Ok(hierarchy.with_heading(heading)?)
    }

    /// The text of a hierarchy in a format.
    pub(crate) fn format(&self, hierarchy: &Hierarchy, format: Format) -> anyhow::Result<String> {
        let default = WriteOptions::default();
        let base = self.base.clone().unwrap_or(default.base);
        Ok(write(hierarchy, format, &WriteOptions { base, license: self.license.clone(), ..default })?)
    }

    /// Writes text to the file or to standard output.
    pub(crate) fn write(&self, text: &str) -> anyhow::Result<()> {
        files::write(self.out(), text)
    }
}

/// A relation as it may be written into a file.
///
/// # Errors
/// What to give instead.
pub fn check_relation(text: &str) -> Result<String, String> {
    match Relation::from_text(text) {
        Relation::Own(own) if !own.contains("{child}") || !own.contains("{parent}") => {
            Err("give is-a, part-of, look-under, or a question with {child} and {parent} in it".to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

/// An address that may precede identifiers.
///
/// # Errors
/// What to give instead.
pub fn check_base(text: &str) -> Result<String, String> {
    match text.ends_with(['/', '#', ':', '=']) {
        true => Ok(text.to_owned()),
        false => Err(format!("end it in / or #, as in {text}/")),
    }
}
