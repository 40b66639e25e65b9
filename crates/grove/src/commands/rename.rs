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
        let rename =
            |state: &State| Ok(Edit::Rename { concept: number_of(state, concept)?, name: to.clone() });
        context.edit(&self.name, rename).await?;
        context.remark(&format!("{concept} renamed to {to}"))
    }
}
