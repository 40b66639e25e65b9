//! `grove rename`.

use grove_campaign::{Edit, State};

use super::remove::number_of;
use crate::context::Context;

/// Rename a concept.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove rename food aubergine eggplant")]
pub(crate) struct Rename {
    /// The campaign.
    name: String,
    /// The concept.
    concept: String,
    /// Its new name.
    to: String,
}

impl Rename {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let Self { concept, to, .. } = self;
        let mut alike = Vec::new();
        let rename = |state: &State| {
            let number = number_of(state, concept)?;
            // A name that resembles the one it replaces is not worth a remark.
            let old = state.name_of(number).to_owned();
            alike = state.look_alikes([to.as_str()]).into_iter().filter(|pair| pair.first != old).collect();
            Ok(Edit::Rename { concept: number, name: to.clone() })
        };
        context.edit(&self.name, rename).await?;
        context.warn_of(&alike);
        context.remark(&format!("{concept} renamed to {to}"))
    }
}
