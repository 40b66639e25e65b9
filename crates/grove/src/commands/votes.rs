//! `grove votes`: all votes, for other programs and for `grove import`.

use std::path::PathBuf;

use grove_campaign::{State, VoteState};
use grove_formats::{NamedVote, VoteFormat, write_votes};

use crate::context::Context;
use crate::files;
use crate::text::time;

/// Write all votes, as CSV or as JSON lines.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove votes food > votes.csv
  grove votes food --format jsonl --out votes.jsonl
  grove votes food --worker ann
  grove votes food --all

The columns are worker, upper, lower, answer (yes, no, cant_say), kind (path or edge) and time; the fields of JSON are named so, too.
If people were also asked in other forms, there are the columns form (yesno, pick, tick, place), options and chosen as well, with | between concepts.
`grove import` and `grove infer --answers` read both. --all adds votes that were withdrawn or excluded, or are about concepts that are gone,
and the column counts (true or false).")]
pub(crate) struct Votes {
    /// The campaign.
    name: String,
    /// csv or jsonl.
    #[arg(long, default_value = "csv")]
    format: VoteFormat,
    /// Only the votes of this worker.
    #[arg(long, value_name = "ID")]
    worker: Option<String>,
    /// Include votes that do not count: withdrawn, excluded, or about concepts that are gone.
    #[arg(long)]
    all: bool,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Votes {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(self.out.as_deref())?;
        let access = context.open(&self.name).await?;
        let state = access.state()?;
        let votes = state.votes().all().iter();
        let votes = votes
            .filter(|vote| self.worker.as_ref().is_none_or(|worker| vote.response.worker.as_str() == worker));
        let named: Vec<NamedVote> = votes.filter_map(|vote| self.named(&state, vote)).collect();
        files::write(self.out.as_deref(), &write_votes(&named, self.format, self.all))
    }

    /// A vote with the names that its concepts have now; none if it is not wanted.
    fn named(&self, state: &State, vote: &VoteState) -> Option<NamedVote> {
        let grove_store::Response { worker, screen, reply } = vote.response.clone();
        let response = grove_vocabulary::Response { worker: worker.to_string(), screen, reply };
        let concepts = state.concepts();
        let present = |number: u32| concepts.belief_number(number).map(|concept| concepts.number(concept));
        let resolved = response.clone().try_map(present);
        let counts = vote.withdrawn.is_none() && !vote.excluded && resolved.is_some();
        let response = resolved.unwrap_or(response).map(|concept| state.name_of(concept).to_owned());
        (self.all || counts).then(|| NamedVote { response, time: time(vote.at), counts })
    }
}
