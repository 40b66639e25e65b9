//! `grove recruit`: people from panels.

mod sandbox;

use std::path::{Path, PathBuf};

use grove_campaign::Follower;
use grove_campaign::operations::recruit::{
    Methods, PanelSettings, PanelView, Quote, StudySettings, mean_certainty,
};
use grove_campaign::operations::{Access, Caller};
use grove_crowd::{Cents, Crowds, EVENTS, GenericPanel, Prolific};
use grove_store::PanelId;
use uuid::Uuid;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// Recruit people from panels: any panel that sends people with an id and wants a code back, or a study at Prolific.
#[derive(clap::Args, Debug)]
#[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  grove recruit --sandbox food --truth food.tsv            try it with simulated people and money
  grove recruit panel food --questions 20 --code C0DE42 --url https://grove.example.org
  grove recruit study food --crowds crowds.toml --panel prolific --people 20 --questions 20 \\
      --minutes 5 --reward 1.00 --budget 50.00 --title \"What is what?\" \\
      --description \"Short questions.\" --url https://grove.example.org
  grove recruit publish food --crowds crowds.toml          it costs money from now on
  grove recruit show food --crowds crowds.toml             who came, cost, a methods paragraph
  grove recruit hooks --crowds crowds.toml --panel prolific --url https://grove.example.org \\
      --secret-file /etc/grove/prolific-hooks

The file of --crowds is the operator's, as of `grove serve`: it names the panels and where their tokens are. A server that runs with it
keeps studies up to date by itself; `grove recruit sync` does it once.")]
pub(crate) struct Recruit {
    #[command(subcommand)]
    action: Option<Action>,
    /// Try it: a study for this campaign at a local copy of Prolific, with simulated people.
    #[arg(long, value_name = "CAMPAIGN", required = true)]
    sandbox: Option<String>,
    /// How many simulated people take part.
    #[arg(long, value_name = "PEOPLE", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1000))]
    people: u32,
    /// How many questions each of them answers.
    #[arg(long, value_name = "QUESTIONS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    questions: u32,
    /// What simulated people believe: a hierarchy in any format. Without it they believe one that is made up.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Add a panel that sends people with an id and wants a code back.
    Panel(NewPanel),
    /// Draft a study at a panel of the operator's file, and say what it costs. Nothing is published.
    Study(NewStudy),
    /// Publish the study: it costs money from now on.
    Publish(Existing),
    /// Pause the study: nobody new can take part.
    Pause(Existing),
    /// Resume the study after a pause.
    Resume(Existing),
    /// End the study; those who take part may finish.
    Stop(Existing),
    /// Get the latest state from the panel; approve and pay what was decided.
    Sync(Existing),
    /// Approve everybody who has answered and awaits approval, except those who do not seem to read.
    Approve(Existing),
    /// Show the panels of a campaign, who came, what is owed and paid an hour, and a methods paragraph for a paper.
    Show(Shown),
    /// Have a panel of the operator's file notify the server at once when a submission changes; without that, the server asks twice a minute.
    Hooks(Hooks),
}

#[derive(clap::Args, Debug)]
struct NewPanel {
    /// The campaign.
    name: String,
    /// A name for the panel.
    #[arg(long, value_name = "NAME", default_value = "panel")]
    label: String,
    /// The parameter of the address that carries the person's id.
    #[arg(long, value_name = "NAME", default_value = "participantId")]
    parameter: String,
    /// Another parameter to keep; repeat it for several.
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,
    /// How many questions each person answers.
    #[arg(long, value_name = "QUESTIONS")]
    questions: u32,
    /// The code that a person gets at the end.
    #[arg(long, value_name = "CODE")]
    code: String,
    /// The code of those who do not consent, or for whom nothing is left to ask.
    #[arg(long, value_name = "CODE")]
    turned_away_code: Option<String>,
    /// Where people are sent at the end: an http(s) address, with {code}, {worker} and {session} filled in.
    #[arg(long, value_name = "URL")]
    redirect: Option<String>,
    /// The parameter that carries the session.
    #[arg(long, value_name = "NAME")]
    session_parameter: Option<String>,
    /// What each person is owed, such as 1.50, for panels that are paid by hand.
    #[arg(long, value_name = "MONEY", default_value = "0")]
    reward: Cents,
    /// The most people.
    #[arg(long, value_name = "PEOPLE")]
    most_people: Option<u32>,
    /// The address of the server, for the link.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8077")]
    url: String,
}

#[derive(clap::Args, Debug)]
struct NewStudy {
    /// The campaign.
    name: String,
    /// The operator's file of panels and models.
    #[arg(long, value_name = "FILE")]
    crowds: PathBuf,
    /// The panel of that file.
    #[arg(long, value_name = "NAME")]
    panel: String,
    /// What people see.
    #[arg(long, value_name = "TEXT")]
    title: String,
    /// What people read before they take part.
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// How many people at first.
    #[arg(long, value_name = "PEOPLE")]
    people: u32,
    /// How many people at most, if the forecast says that more are needed and the budget allows it.
    #[arg(long, value_name = "PEOPLE")]
    most_people: Option<u32>,
    /// How many questions each person answers.
    #[arg(long, value_name = "QUESTIONS")]
    questions: u32,
    /// How long that takes.
    #[arg(long, value_name = "MINUTES")]
    minutes: u32,
    /// What each person gets, such as 1.00.
    #[arg(long, value_name = "MONEY")]
    reward: Cents,
    /// What the study may cost in all, with bonuses, fees and tax.
    #[arg(long, value_name = "MONEY")]
    budget: Cents,
    /// Approve people who have answered without review, except those who do not seem to read.
    #[arg(long)]
    approve: bool,
    /// The address of the server that the panel sends people to.
    #[arg(long, value_name = "URL")]
    url: String,
}

#[derive(clap::Args, Debug)]
struct Existing {
    /// The campaign.
    name: String,
    /// The operator's file of panels and models.
    #[arg(long, value_name = "FILE")]
    crowds: PathBuf,
    /// The panel, by the id that `grove recruit show` prints [default: the newest study].
    #[arg(long, value_name = "ID")]
    id: Option<Uuid>,
}

#[derive(clap::Args, Debug)]
struct Shown {
    /// The campaign.
    name: String,
    /// The operator's file of panels and models, to ask them what studies have cost.
    #[arg(long, value_name = "FILE")]
    crowds: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct Hooks {
    /// The operator's file of panels and models.
    #[arg(long, value_name = "FILE")]
    crowds: PathBuf,
    /// The panel of that file.
    #[arg(long, value_name = "NAME")]
    panel: String,
    /// The address of the server, at which the panel can reach it.
    #[arg(long, value_name = "URL")]
    url: String,
    /// A new file for the secret with which the panel signs, unless the operator's file names one already.
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
}

impl Recruit {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let Some(action) = &self.action else {
            let name = self.sandbox.as_deref().unwrap_or_default();
            return sandbox::run(context, name, self.people, self.questions, self.truth.as_deref()).await;
        };
        match action {
            Action::Panel(new) => new.run(context).await,
            Action::Study(new) => new.run(context).await,
            Action::Show(shown) => shown.run(context).await,
            Action::Hooks(hooks) => hooks.run(context).await,
            Action::Publish(of) => {
                let (access, id) = of.open(context).await?;
                access.publish_study(id, None).await?;
                context.remark("the study is published")
            }
            Action::Pause(of) => {
                let (access, id) = of.open(context).await?;
                access.pause_study(id).await?;
                context.remark("nobody new can take part")
            }
            Action::Resume(of) => {
                let (access, id) = of.open(context).await?;
                access.resume_study(id).await?;
                context.remark("people can take part again")
            }
            Action::Stop(of) => {
                let (access, id) = of.open(context).await?;
                access.stop_study(id).await?;
                context.remark("the study has ended; those who take part may finish")
            }
            Action::Sync(of) => {
                let (access, id) = of.open(context).await?;
                let done = access.sync_study(id).await?;
                context.remark(&format!(
                    "{} changed, {} approved; bonuses: {} paid, {} waiting for the panel",
                    count(done.changed, "submission"),
                    done.approved,
                    done.paid,
                    done.waiting
                ))
            }
            Action::Approve(of) => {
                let (access, id) = of.open(context).await?;
                access.sync_study(id).await?;
                let approved = access.approve_all(id).await?;
                access.sync_study(id).await?;
                context.remark(&format!("approved {}", count(approved, "submission")))
            }
        }
    }
}

/// Opens a campaign with the panels of a file.
pub(super) async fn open(context: &Context, name: &str, crowds: Crowds) -> anyhow::Result<Access> {
    let id = context.find(name).await?.id;
    Ok(context.workspace().await?.with_crowds(crowds).open(Caller::local(), id).await?)
}

fn read(path: &Path) -> anyhow::Result<Crowds> {
    Crowds::read(path).map_err(bad_input)
}

impl NewPanel {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let entry = GenericPanel {
            id_parameter: self.parameter.clone(),
            kept: self.keep.clone(),
            questions: self.questions,
            code: self.code.clone(),
            turned_away_code: self.turned_away_code.clone(),
            redirect: self.redirect.clone(),
            session_parameter: self.session_parameter.clone(),
            study_parameter: None,
            reward_cents: self.reward.0,
            most_people: self.most_people,
        };
        entry.check().map_err(bad_input)?;
        let access = open(context, &self.name, Crowds::default()).await?;
        let id = access.add_panel(&self.label, None, PanelSettings { entry, study: None }).await?;
        let link = format!("{}/p/{}?{}=", self.url.trim_end_matches('/'), id.0.simple(), self.parameter);
        context.remark("send people here; the panel adds their id to the end:")?;
        files::print(&format!("{link}\n"))
    }
}

impl NewStudy {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let study = StudySettings {
            name: self.title.clone(),
            description: self.description.clone(),
            places: self.people,
            most_places: self.most_people.unwrap_or(self.people),
            minutes: self.minutes,
            reward: self.reward,
            budget: self.budget,
            approve: self.approve,
        };
        let settings = PanelSettings::of_study(study, self.questions).map_err(bad_input)?;
        let access = open(context, &self.name, read(&self.crowds)?).await?;
        let id = access.add_panel(&self.title, Some(&self.panel), settings).await?;
        access.draft_study(id, self.url.trim_end_matches('/')).await?;
        files::print(&quoted(&access.quote(id).await?))
    }
}

fn quoted(quote: &Quote) -> String {
    let Quote { cost, available, currency, hourly, least_hourly, recommended_hourly, .. } = quote;
    format!(
        "the study would cost {cost} {currency} with fees and tax; {available} is available\n\
         it pays {hourly} an hour; at least {least_hourly} is needed, {recommended_hourly} is recommended\n\
         nothing is published yet: `grove recruit publish` does that\n"
    )
}

impl Existing {
    async fn open(&self, context: &Context) -> anyhow::Result<(Access, PanelId)> {
        let access = open(context, &self.name, read(&self.crowds)?).await?;
        let panels = access.panels().await?;
        let mut studies =
            panels.into_iter().map(|view| view.panel).filter(|panel| panel.connection.is_some());
        let found = match self.id {
            Some(id) => studies.find(|panel| panel.id.0 == id),
            None => studies.next_back(),
        };
        let found = found.ok_or_else(|| {
            bad_input(format!("{} has no such study; `grove recruit study` drafts one", self.name))
        })?;
        Ok((access, found.id))
    }
}

impl Shown {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let crowds = self.crowds.as_deref().map_or_else(|| Ok(Crowds::default()), read)?;
        let access = open(context, &self.name, crowds).await?;
        let panels = access.panels().await?;
        let methods = methods(context, &access).await?;
        for problem in &methods.problems {
            context.remark(&format!("what was spent is not known: {problem}"))?;
        }
        if self.json {
            let panels: Vec<serde_json::Value> = panels.iter().map(object).collect();
            let costs: Vec<serde_json::Value> = methods
                .panels
                .iter()
                .map(|one| {
                    serde_json::json!({
                        "through": one.through, "people": one.people, "questions": one.questions,
                        "hourly_cents": one.hourly.map(|hourly| hourly.0), "cost_cents": one.cost.map(|cost| cost.0),
                        "currency": one.currency,
                    })
                })
                .collect();
            return files::print_json(&serde_json::json!({
                "panels": panels,
                "methods": {
                    "text": methods.to_string(), "panels": costs, "votes": methods.votes, "model_votes": methods.model_votes,
                    "models": methods.models, "certainty": methods.certainty, "problems": methods.problems,
                },
            }));
        }
        if panels.is_empty() {
            return context.remark("no panels; `grove recruit panel` adds one");
        }
        let mut text: String = panels.iter().map(lines).collect();
        if !methods.panels.is_empty() {
            text.push_str(&format!("\n{methods}\n"));
        }
        files::print(&text)
    }
}

/// The methods paragraph, with the certainty of a belief that has taken in all votes.
async fn methods(context: &Context, access: &Access) -> anyhow::Result<Methods> {
    let methods = access.methods().await?;
    let read = |follower: &Follower| Ok(mean_certainty(&follower.hierarchy()?));
    let certainty = context.with_belief(access.clone(), read).await?;
    Ok(Methods { certainty, ..methods })
}

impl Hooks {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let crowds = read(&self.crowds)?;
        let file = self.crowds.display();
        let connection = crowds
            .panel(&self.panel)
            .ok_or_else(|| bad_input(format!("{file} has no panel {:?}", self.panel)))?;
        let client = Prolific::new(connection);
        match (&connection.webhook_secret, &self.secret_file) {
            (Some(_), None) => {}
            (Some(_), Some(_)) => {
                return Err(bad_input(format!(
                    "{file} names a secret already; leave --secret-file out, or remove that line to make another secret"
                )));
            }
            (None, None) => {
                return Err(bad_input(
                    "give --secret-file: the secret of the panel's signatures is written there",
                ));
            }
            // Before a secret is made, which would replace the one of that file.
            (None, Some(path)) if path.exists() => {
                return Err(bad_input(format!("{} exists already", path.display())));
            }
            (None, Some(path)) => {
                client.new_hook_secret(&connection.workspace).await?.write_new(path)?;
                context.remark(&format!(
                    "add this to [panels.{}] in {file}, and start the server again:\nwebhook_secret_file = {:?}",
                    self.panel,
                    path.display().to_string()
                ))?;
            }
        }
        let target = format!("{}/api/hooks/{}", self.url.trim_end_matches('/'), self.panel);
        for event in EVENTS {
            if !client.is_subscribed(&connection.workspace, event, &target).await? {
                client.subscribe(&connection.workspace, event, &target).await?;
            }
        }
        context.remark(&format!("the panel sends its events to {target}"))
    }
}

fn lines(view: &PanelView) -> String {
    let (panel, tally) = (&view.panel, &view.tally);
    let mut text = format!(
        "{} ({}): {}, {} came, {} finished, {} turned away",
        panel.name, panel.id, panel.status, tally.came, tally.finished, tally.turned_away
    );
    if panel.connection.is_some() {
        text.push_str(&format!(", {} to review, {} approved", tally.to_review, tally.approved));
    }
    if tally.owed != Cents::ZERO {
        text.push_str(&format!(", {} owed", tally.owed));
    }
    if let Some(seconds) = tally.median_seconds {
        text.push_str(&format!(", median {seconds} s"));
    }
    if let Some(hourly) = view.hourly() {
        text.push_str(&format!(", {hourly} an hour"));
    }
    text + "\n"
}

/// Field names are documented in docs/cli.md and do not change.
fn object(view: &PanelView) -> serde_json::Value {
    let people: Vec<serde_json::Value> = view
        .people
        .iter()
        .map(|one| {
            serde_json::json!({
                "person": one.person.person, "worker": one.person.worker, "votes": one.votes, "outcome": one.person.outcome,
                "suspect": one.doubt.is_some(), "verified": one.person.verified.map(|verified| verified == 1),
                "status": one.submission.as_ref().map(|one| one.status.as_str()),
            })
        })
        .collect();
    serde_json::json!({
        "id": view.panel.id, "name": view.panel.name, "status": view.panel.status, "study": view.panel.study,
        "came": view.tally.came, "finished": view.tally.finished, "turned_away": view.tally.turned_away,
        "owed_cents": view.tally.owed.0, "to_review": view.tally.to_review, "approved": view.tally.approved,
        "median_seconds": view.tally.median_seconds, "hourly_cents": view.hourly().map(|hourly| hourly.0), "people": people,
    })
}
