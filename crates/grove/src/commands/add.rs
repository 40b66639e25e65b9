//! `grove add`.

use std::path::PathBuf;

use grove_campaign::{Edit, NewConcept, State};
use grove_formats::read_concepts;

use super::description::Description;
use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// Add concepts to a campaign. What is believed about the others stays.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove add food quince medlar
  grove add food brie --definition 'a soft cheese' --synonym 'brie de Meaux'
  grove add food --concepts more.csv")]
pub(crate) struct Add {
    /// The campaign.
    name: String,
    /// The concepts.
    #[arg(required_unless_present = "concepts", conflicts_with = "concepts")]
    concept: Vec<String>,
    /// A file of concepts, as for `grove new`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["definition", "synonym", "article"])]
    concepts: Option<PathBuf>,
    #[command(flatten)]
    description: Description,
}

impl Add {
    /// Adds all concepts, or none.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let concepts = self.new_concepts()?;
        let added = count(concepts.len(), "concept");
        let mut alike = Vec::new();
        let add = |state: &State| {
            alike = state.look_alikes(concepts.iter().map(|concept| concept.name.as_str()));
            Ok(Edit::Add(concepts))
        };
        let campaign = context.edit(&self.name, add).await?;
        context.warn_of(&alike);
        context.remark(&format!("{added} added, {} in total", campaign.state()?.concepts().count()))
    }

    fn new_concepts(&self) -> anyhow::Result<Vec<NewConcept>> {
        if let Some(path) = &self.concepts {
            let list = read_concepts(&files::read(path)?)?;
            return Ok(list.concepts().iter().map(NewConcept::from).collect());
        }
        match &self.concept[..] {
            [name] => Ok(vec![self.description.of(name)]),
            names if self.description.is_empty() => {
                Ok(names.iter().map(|name| NewConcept::named(name)).collect())
            }
            _ => Err(bad_input(
                "--definition, --synonym and --article are for one concept; add the concepts one by one, or from a file",
            )),
        }
    }
}
