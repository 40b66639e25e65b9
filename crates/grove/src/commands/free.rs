//! `grove free`.

use grove_campaign::Edit;

use super::remove::number_of;
use crate::context::Context;
use crate::error::bad_input;
use crate::text::count;

/// Undo the corrections of a concept.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove free food brie              all corrections of brie
  grove free food tomato vegetable  only the corrections about the two")]
pub(crate) struct Free {
    /// The campaign.
    name: String,
    /// The concept below.
    child: String,
    /// The concept above [default: any].
    parent: Option<String>,
}

impl Free {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let campaign = context.open(&self.name).await?;
        let lower = number_of(&*campaign.state()?, &self.child)?;
        let upper = self.parent.as_deref().map(|parent| campaign.state()?.find(parent)).transpose()?;
        let before = campaign.state()?.corrections().len();
        campaign.edit(Edit::Free { lower, upper }).await?;
        match before - campaign.state()?.corrections().len() {
            0 => Err(bad_input(format!(
                "there is no correction of {:?} to undo; `grove show {} --json` lists the corrections",
                self.child, self.name
            ))),
            undone => context.remark(&format!("{} undone", count(undone, "correction"))),
        }
    }
}
