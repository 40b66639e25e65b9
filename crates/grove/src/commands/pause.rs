//! `grove pause`.

use grove_campaign::Edit;

use crate::context::Context;

/// Pause a campaign: nobody is asked until it is resumed.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove pause food
  grove pause food --reason \"back on Monday\"     shown to workers")]
pub(crate) struct Pause {
    /// The campaign.
    name: String,
    /// The reason, shown to workers.
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Pause {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        context.edit(&self.name, |_| Ok(Edit::Pause { reason: self.reason.clone() })).await?;
        context.remark(&format!("{0} is paused; `grove resume {0}` resumes it", self.name))
    }
}
