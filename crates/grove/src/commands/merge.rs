//! `grove merge`.

use grove_campaign::{Edit, State};

use super::remove::number_of;
use crate::context::Context;
use crate::error::bad_input;

/// Merge two concepts that turned out to be the same. The votes on both count for the one that is kept.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove merge food eggplant --into aubergine")]
pub(crate) struct Merge {
    /// The campaign.
    name: String,
    /// The concept that goes.
    gone: String,
    /// The concept that is kept.
    #[arg(long, value_name = "CONCEPT")]
    into: String,
}

impl Merge {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let Self { gone, into, .. } = self;
        let merge = |state: &State| match (number_of(state, gone)?, number_of(state, into)?) {
            (gone_number, kept) if gone_number == kept => {
                Err(bad_input(format!("{gone:?} and {into:?} are one concept already; name two")))
            }
            (gone, kept) => Ok(Edit::Merge { gone, kept }),
        };
        context.edit(&self.name, merge).await?;
        context.remark(&format!("{gone} merged into {into}"))
    }
}
