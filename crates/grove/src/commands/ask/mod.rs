//! `grove ask`: you answer questions, and the hierarchy becomes clearer.

mod interview;
mod key_prompt;
mod line_prompt;
mod neighbourhood;

use std::io::{self, IsTerminal};

use grove_belief::DOUBTFUL_BELOW;
use grove_campaign::{Campaign, Edit, NoiseSetting, Settings};
use grove_store::{Actor, WorkerId};

use super::{new, show};
use crate::context::{Context, release};
use crate::engine_options::{AssumedNoise, certainty};
use crate::error::bad_input;
use crate::files;
use crate::text::count;
use interview::{Ending, Interview};
use key_prompt::KeyPrompt;
use line_prompt::LinePrompt;

/// Answer questions yourself, while the hierarchy becomes clearer.
///
/// One key per answer: y yes, n no, s can't say, u undoes the last answer, q quits. Every answer is saved at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove ask food
  grove ask food --worker ann --questions 20
  printf 'y\\nn\\ns\\n' | grove ask food --worker script

If the input is not a terminal, answers are read line by line. Ends at q, at the end of the input, when the campaign's
rules say so, or when every concept was asked about and every parent is as certain as --until says.")]
pub(crate) struct Ask {
    /// The campaign.
    name: String,
    /// Who answers [default: your user name].
    #[arg(long, value_name = "ID")]
    worker: Option<String>,
    /// How people err, from now on: learn, majority, RATE, or FALSE_YES,FALSE_NO [default: the campaign's setting].
    #[arg(long)]
    noise: Option<AssumedNoise>,
    /// Stop when every parent is this certain [default: the campaign's target, or 0.75].
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    until: Option<f64>,
    /// Stop after this many answers.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    questions: Option<u64>,
}

impl Ask {
    /// Asks until there is a reason to stop, then draws the result.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let worker = worker(self.worker.as_deref())?;
        let noise = self.noise.map(new::noise).transpose()?;
        let campaign = context.open(&self.name).await?.campaign()?.clone();
        let shown = match self.ask(noise, &worker, &campaign).await {
            Ok(ending) => show_result(&campaign, &ending, context).await,
            Err(error) => Err(error),
        };
        release(campaign).await;
        shown
    }

    async fn ask(
        &self,
        noise: Option<(NoiseSetting, f64)>,
        worker: &WorkerId,
        campaign: &Campaign,
    ) -> anyhow::Result<Ending> {
        let settings = campaign.with_state(|state| state.settings().clone());
        let target = settings.target.map(|target| target.certainty);
        let until = self.until.or(target).unwrap_or(DOUBTFUL_BELOW);
        if let Some((noise, divided)) = noise {
            let changed = Settings { noise, divided, ..settings.clone() };
            if changed != settings {
                campaign.edit(Actor::Grove, Edit::Set(Box::new(changed))).await?;
            }
        }
        let interview = Interview { campaign, worker, until, most: self.questions };
        match io::stdin().is_terminal() && io::stdout().is_terminal() {
            true => interview.run(&mut KeyPrompt::open()?).await,
            false => interview.run(&mut LinePrompt::new(io::stdin().lock(), io::stdout())).await,
        }
    }
}

/// The given worker, or the user's name, or "me".
pub(super) fn worker(given: Option<&str>) -> anyhow::Result<WorkerId> {
    let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = given.map(str::to_owned).or_else(user).unwrap_or_else(|| "me".to_owned());
    WorkerId::new(name).map_err(|error| bad_input(format!("--worker: {error}")))
}

async fn show_result(campaign: &Campaign, ending: &Ending, context: &Context) -> anyhow::Result<()> {
    if context.quiet() {
        return Ok(());
    }
    let follower = campaign.follower().await?;
    let report = show::report(&follower, context)?;
    let drawing = show::text(follower.state(), report.as_ref())?;
    files::print(&format!("{drawing}{}; {}\n", count(ending.answers as usize, "answer"), ending.reason))
}
