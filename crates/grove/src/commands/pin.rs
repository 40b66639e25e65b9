//! `grove pin`.

use grove_campaign::Edit;
use grove_store::{Correction, CorrectionId};
use uuid::Uuid;

use super::remove::number_of;
use crate::context::Context;
use crate::error::bad_input;
use crate::text;

/// Fix where a concept belongs, whatever the votes say.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove pin food brie cheese                         the parent of brie is cheese
  grove pin food brie food                           the root's name: brie is at the top level
  grove pin food brie 'dairy product' --somewhere    dairy product is above brie, with or without others between
Undo: grove free food brie")]
pub(crate) struct Pin {
    /// The campaign.
    name: String,
    /// The concept below.
    child: String,
    /// The concept above, or the root.
    parent: String,
    /// The child is under the parent, but not necessarily directly.
    #[arg(long)]
    somewhere: bool,
}

impl Pin {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        correct(context, &self.name, &self.child, &self.parent, |lower, upper| {
            match (upper, self.somewhere) {
                (0, false) => Correction::TopLevel { concept: lower },
                (_, false) => Correction::DirectlyUnder { lower, upper },
                (_, true) => Correction::SomewhereUnder { lower, upper },
            }
        })
        .await
    }
}

/// Adds a correction about two concepts, unless it is there already.
pub(super) async fn correct(
    context: &Context,
    name: &str,
    child: &str,
    parent: &str,
    correction: impl FnOnce(u32, u32) -> Correction,
) -> anyhow::Result<()> {
    let campaign = context.open(name).await?;
    let (correction, text, is_known) = {
        let state = &*campaign.state()?;
        let (lower, upper) = (number_of(state, child)?, state.find(parent)?);
        if lower == upper {
            return Err(bad_input(format!("{child:?} and {parent:?} are the same concept; name two")));
        }
        let correction = correction(lower, upper);
        let is_known = state.corrections().iter().any(|known| known.correction == correction);
        (correction, text::correction(state, correction), is_known)
    };
    if is_known {
        return context.remark(&format!("already corrected: {text}"));
    }
    campaign.edit(Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction }).await?;
    context.remark(&format!("corrected: {text}"))
}
