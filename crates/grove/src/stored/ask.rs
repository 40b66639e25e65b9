//! `grove ask`: you answer, and the hierarchy sharpens.

use std::io::{self, IsTerminal};

use grove_campaign::{Campaign, Edit, NoiseSetting, Settings};
use grove_store::{Actor, WorkerId};

use super::answering::{Ending, Interview};
use super::desk::{Desk, put_down, refused};
use super::lines::Lines;
use super::screen::Screen;
use super::{new, show};
use crate::args::Ask;
use crate::failure::bad_input;
use crate::files;
use crate::terminal::{self, RED_LINE};

/// Asks until it is enough, then draws what came of it.
pub(super) async fn run(options: &Ask, desk: &Desk) -> anyhow::Result<()> {
    let worker = worker(options)?;
    let noise = options.noise.map(new::noise).transpose()?;
    let mut campaign = desk.open(&options.name).await?;
    let asked = ask(options, noise, &worker, &mut campaign).await;
    let told = asked.and_then(|ending| told(&campaign, &ending, desk));
    put_down(campaign).await;
    told
}

async fn ask(
    options: &Ask,
    noise: Option<(NoiseSetting, f64)>,
    worker: &WorkerId,
    campaign: &mut Campaign,
) -> anyhow::Result<Ending> {
    if let Some((noise, divided)) = noise {
        set_noise(noise, divided, campaign).await?;
    }
    let target = campaign.state().settings().target.map(|target| target.certainty);
    let until = options.until.or(target).unwrap_or(RED_LINE);
    let interview = Interview { campaign, worker, until, most: options.questions };
    let keys = io::stdin().is_terminal() && io::stdout().is_terminal();
    match keys {
        true => interview.hold(&mut Screen::open()?).await,
        false => interview.hold(&mut Lines::new(io::stdin().lock(), io::stdout())).await,
    }
}

/// Who answers: as given, or the name of the account, or simply "me".
fn worker(options: &Ask) -> anyhow::Result<WorkerId> {
    let account = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = options.worker.clone().or_else(account).unwrap_or_else(|| "me".to_owned());
    WorkerId::new(name).map_err(|error| bad_input(format!("--worker: {error}")))
}

async fn set_noise(noise: NoiseSetting, divided: f64, campaign: &mut Campaign) -> anyhow::Result<()> {
    let settings = Settings { noise, divided, ..campaign.state().settings().clone() };
    if settings == *campaign.state().settings() {
        return Ok(());
    }
    campaign.edit(Actor::Grove, Edit::Set(Box::new(settings))).await.map_err(refused)
}

fn told(campaign: &Campaign, ending: &Ending, desk: &Desk) -> anyhow::Result<()> {
    if desk.quiet() {
        return Ok(());
    }
    let report = show::report(campaign, desk)?;
    let drawing = show::text(campaign.follower().state(), report.as_ref(), terminal::may_colour())?;
    files::print(&format!(
        "{drawing}{}; {}\n",
        terminal::count(ending.answers as usize, "answer"),
        ending.reason
    ))
}
