//! `grove resume`.

use grove_campaign::Edit;

use crate::context::Context;

/// Resume a campaign that was paused, or that was stopped by its own rules.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove resume food")]
pub(crate) struct Resume {
    /// The campaign.
    name: String,
}

impl Resume {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        context.edit(&self.name, |_| Ok(Edit::Resume)).await?;
        context.remark(&format!("{} is resumed", self.name))
    }
}
