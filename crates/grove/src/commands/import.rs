//! `grove import`.

use std::path::PathBuf;

use grove_campaign::Error;
use serde_json::json;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// Import votes that were recorded elsewhere, or a card sort.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove import food votes.csv
  grove import food votes.jsonl
  grove import food cardsort.csv

votes.csv has the columns worker, upper, lower, answer (yes, no, cant_say); .tsv, .json and .jsonl are read too. For picks, ticks and
places it has the columns form, options and chosen as well, as `grove votes` writes them.
cardsort.csv has the columns card, category, participant. All concepts must be in the campaign.
A worker has one vote per question: importing a file again changes nothing.")]
pub(crate) struct Import {
    /// The campaign.
    name: String,
    /// The recorded votes.
    file: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let source = files::read(&self.file)?;
        let campaign = context.open(&self.name).await?;
        let imported = campaign.import(&source).await.map_err(|error| match error {
            Error::BadVote { .. } => bad_input(format!("{}, {error}", self.file.display())),
            other => other.into(),
        })?;
        let total = campaign.state()?.votes().count();
        if self.json {
            let object = json!({ "imported": imported.votes, "repeated": imported.repeated, "votes": total });
            return files::print_json(&object);
        }
        let mut text = format!("{} imported, {total} in total", count(imported.votes, "vote"));
        if imported.repeated > 0 {
            text += &format!("; {} skipped, whose workers had answered before", imported.repeated);
        }
        context.remark(&text)
    }
}
