//! `grove ask`: you answer questions, and the hierarchy becomes clearer.

mod entry;
mod interview;
mod key_prompt;
mod line_prompt;
mod neighbourhood;

use std::io::{self, IsTerminal};

use grove_belief::DOUBTFUL_BELOW;
use grove_campaign::{Campaign, Edit, NoiseSetting, Settings, State};
use grove_store::{Actor, Form, Reply, Screen, WorkerId};

use super::{new, show};
use crate::context::{Context, release};
use crate::engine_options::{AssumedNoise, certainty};
use crate::error::bad_input;
use crate::files;
use crate::text::count;
use entry::{Entry, Named};
use interview::{Ending, Interview};
use key_prompt::KeyPrompt;
use line_prompt::LinePrompt;

/// Answer questions yourself, while the hierarchy becomes clearer.
///
/// Yes/no: y, n. Which of these: 1 to 8, 0 for none. Tick: space, then enter, 0 for none. Where it belongs: type a name, then enter. Everywhere s (? where
/// names are typed) is not sure, u undoes the last answer, q quits. Every answer is saved at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove ask food
  grove ask food --worker ann --questions 20
  grove ask food --go-on
  printf 'y\\nn\\ns\\n' | grove ask food --worker script

If the input is not a terminal, answers are read line by line: yes, no; numbers or names; none, top; s, u, q. Ends at q, at the end of the
input, when nothing is left that is worth your time, and by the campaign's other rules.")]
pub(crate) struct Ask {
    /// The campaign.
    name: String,
    /// Who answers [default: your user name].
    #[arg(long, value_name = "ID")]
    worker: Option<String>,
    /// How people err, from now on: learn, majority, RATE, or FALSE_YES,FALSE_NO [default: the campaign's setting].
    #[arg(long)]
    noise: Option<AssumedNoise>,
    /// Stop when every parent is this certain [default: the campaign's target, if it has one].
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    until: Option<f64>,
    /// Stop after this many answers.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    questions: Option<u64>,
    /// Keep asking when nothing worth the time is left.
    #[arg(long)]
    go_on: bool,
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
        // Campaigns older than the setting for the least gain per second would never end.
        let old = settings.least_gain_per_second.is_none().then_some(DOUBTFUL_BELOW);
        let until = self.until.or(target).or(old.filter(|_| !self.go_on));
        if let Some((noise, divided)) = noise {
            let changed = Settings { noise, divided, ..settings.clone() };
            if changed != settings {
                campaign.edit(Actor::Grove, Edit::Set(Box::new(changed))).await?;
            }
        }
        let interview = Interview { campaign, worker, until, most: self.questions, go_on: self.go_on };
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

/// Reads what was written as a reply to a screen; what to write instead if it is none.
pub(super) fn read_reply(state: &State, screen: &Screen, text: &str) -> Result<Reply, String> {
    let named = |number: u32| Named { number, name: state.name_of(number).to_owned() };
    let choices: Vec<Named> = match screen {
        Screen::Place { lower } => {
            let others = state.concepts().numbers().iter().filter(|number| *number != lower);
            std::iter::once(0).chain(others.copied()).map(named).collect()
        }
        _ => screen.options().iter().copied().map(named).collect(),
    };
    let text = if text.eq_ignore_ascii_case("cant_say") { "s" } else { text };
    let entry = Entry::new(screen.clone(), choices);
    match entry.line(text)? {
        entry::Reply::Answer(reply) => Ok(reply),
        entry::Reply::Undo | entry::Reply::Quit => Err(entry.expected()),
    }
}

async fn show_result(campaign: &Campaign, ending: &Ending, context: &Context) -> anyhow::Result<()> {
    if context.quiet() {
        return Ok(());
    }
    let follower = campaign.follower().await?;
    let report = show::report(&follower, context)?;
    let drawing = show::text(follower.state(), report.as_ref())?;
    // Some reasons are whole sentences.
    let separator = if ending.reason.starts_with(char::is_uppercase) { '.' } else { ';' };
    files::print(&format!("{drawing}{}{separator} {}\n", answers(&ending.forms), ending.reason))
}

/// How many answers, and of which forms if not all are yes or no: "30 answers (29 places, 1 tick)".
fn answers(forms: &[Form]) -> String {
    let all = count(forms.len(), "answer");
    if forms.iter().all(|form| *form == Form::YesNo) {
        return all;
    }
    let of_form = |form: Form| (form, forms.iter().filter(|other| **other == form).count());
    let parts = Form::ALL.map(of_form).into_iter().filter(|(_, number)| *number > 0);
    let words = parts.map(|(form, number)| match form {
        Form::YesNo => format!("{number} yes/no"),
        Form::Pick | Form::Tick | Form::Place => count(number, form.as_str()),
    });
    format!("{all} ({})", words.collect::<Vec<_>>().join(", "))
}
