//! `grove forbid`.

use grove_store::Correction;

use super::pin::correct;
use crate::context::Context;

/// Forbid that a concept is under another, whatever the votes say.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove forbid food tomato vegetable
Undo: grove free food tomato vegetable")]
pub(crate) struct Forbid {
    /// The campaign.
    name: String,
    /// The concept that is not below.
    child: String,
    /// The concept that is not above.
    parent: String,
}

impl Forbid {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let correction = |lower, upper| Correction::NotUnder { lower, upper };
        correct(context, &self.name, &self.child, &self.parent, correction).await
    }
}
