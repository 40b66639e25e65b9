//! `grove remove`.

use grove_campaign::{Edit, State};

use crate::context::Context;
use crate::error::bad_input;
use crate::text::count;

/// Remove concepts from a campaign, with all votes on them.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove remove food ketchup
  grove remove food ketchup 'tomato sauce'")]
pub(crate) struct Remove {
    /// The campaign.
    name: String,
    /// The concepts.
    #[arg(required = true)]
    concept: Vec<String>,
}

impl Remove {
    /// Looks all concepts up before it removes the first.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let campaign = context.open(&self.name).await?;
        let mut numbers = Vec::new();
        for name in &self.concept {
            let number = number_of(&*campaign.state()?, name)?;
            if numbers.contains(&number) {
                return Err(bad_input(format!("{name:?} is named twice; name every concept once")));
            }
            numbers.push(number);
        }
        let removed = count(numbers.len(), "concept");
        for concept in numbers {
            campaign.edit(Edit::Remove { concept }).await?;
        }
        context.remark(&format!("{removed} removed, {} left", campaign.state()?.concepts().count()))
    }
}

/// The number of a concept that is not the root.
pub(super) fn number_of(state: &State, name: &str) -> anyhow::Result<u32> {
    match state.find(name)? {
        0 => Err(bad_input(format!("{name:?} is the root; name a concept under it"))),
        number => Ok(number),
    }
}
