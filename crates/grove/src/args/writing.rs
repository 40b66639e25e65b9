use std::path::PathBuf;

use grove_formats::{Heading, Relation, WriteOptions};

/// What a written hierarchy says of itself, and where it goes.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "What is written")]
pub(crate) struct Writing {
    /// The file to write; without it, to standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The title [default: the root's name].
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The language of the names, as a tag such as en, de or pt-BR.
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// What "above" means: is-a, part-of, look-under, or a wording with {child} and {parent}.
    #[arg(long, value_name = "RELATION", value_parser = relation)]
    pub(crate) relation: Option<String>,
    /// The address before every identifier in SKOS, OWL and SSSOM, ending in / or #.
    #[arg(long, value_name = "IRI", value_parser = base)]
    pub(crate) base: Option<String>,
    /// The licence of what is written, as an address.
    #[arg(long, value_name = "IRI")]
    pub(crate) license: Option<String>,
}

impl Writing {
    /// The heading with what was given in place of what is there.
    pub(crate) fn heading(&self, known: Heading) -> Heading {
        Heading {
            title: self.title.clone().unwrap_or(known.title),
            language: self.language.clone().unwrap_or(known.language),
            relation: self.relation.as_deref().map_or(known.relation, Relation::from_text),
            root: known.root,
        }
    }

    /// What the writers are told.
    pub(crate) fn options(&self) -> WriteOptions {
        let default = WriteOptions::default();
        WriteOptions {
            base: self.base.clone().unwrap_or(default.base),
            license: self.license.clone(),
            ..default
        }
    }
}

fn relation(text: &str) -> Result<String, String> {
    match Relation::from_text(text) {
        Relation::Own(own) if !own.contains("{child}") || !own.contains("{parent}") => {
            Err("give is-a, part-of, look-under, or a question with {child} and {parent} in it".to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

fn base(text: &str) -> Result<String, String> {
    match text.ends_with(['/', '#', ':', '=']) {
        true => Ok(text.to_owned()),
        false => Err(format!("end it in / or #, as in {text}/")),
    }
}
