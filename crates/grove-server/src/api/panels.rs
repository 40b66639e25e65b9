//! Panels of people and studies at their services.

use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::operations::recruit::{
    Doubt, Methods, PanelSettings, PanelView, PersonView, Quote, Recruited, StudySettings, Synced,
};
use grove_crowd::{Cents, GenericPanel};
use grove_store::{Bonus, PanelId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::{Json, LastParam};
use crate::http_error::Result;

/// How people come from a panel and leave again.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PanelEntry {
    /// The parameter of the link that carries the person's id.
    id_parameter: String,
    /// Further parameters to keep.
    #[serde(default)]
    kept: Vec<String>,
    /// How many questions a person answers.
    questions: u32,
    /// The code that a person gets at the end.
    code: String,
    /// The code of a person who was turned away.
    #[serde(default)]
    turned_away_code: Option<String>,
    /// Where a person is sent at the end: http(s), with `{code}`, `{worker}`, `{session}` and `{study}` in it.
    #[serde(default)]
    redirect: Option<String>,
    /// The parameter that carries the session.
    #[serde(default)]
    session_parameter: Option<String>,
    /// The parameter that carries the study.
    #[serde(default)]
    study_parameter: Option<String>,
    /// What each person is owed, in cents, for panels that are paid by hand.
    #[serde(default)]
    reward_cents: u64,
    /// The most people.
    #[serde(default)]
    most_people: Option<u32>,
}

/// A study at a panel's service.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyFields {
    /// What people see.
    title: String,
    /// What people read before they take part.
    description: String,
    /// How many people at first.
    places: u32,
    /// How many people at most; more than `places` lets the study grow as the forecast says.
    #[serde(default)]
    most_places: Option<u32>,
    /// How long it takes.
    minutes: u32,
    /// What each person gets, in cents.
    reward_cents: u64,
    /// What the whole study may cost, bonuses, fees and tax included.
    budget_cents: u64,
    /// Whether people who have answered are approved without review, except those who should be reviewed.
    #[serde(default)]
    approve: bool,
}

/// A new panel: one that sends people with an id, or a study.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewPanel {
    /// A panel that sends people with an id and wants a code back.
    Link {
        /// A name for it.
        name: String,
        /// How people come and go.
        entry: PanelEntry,
    },
    /// A study at a service that the operator has set up. It is only drafted.
    Study {
        /// The operator's name for the service.
        connection: String,
        /// How many questions each person answers.
        questions: u32,
        /// The study.
        study: StudyFields,
    },
}

/// A panel that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedPanel {
    /// Its id.
    id: Uuid,
    /// The link by which people come.
    link: String,
}

/// A panel, its counts, and everybody who came.
#[derive(Serialize, ToSchema)]
pub(crate) struct PanelInfo {
    /// Its id.
    id: Uuid,
    /// The owner's name for it.
    name: String,
    /// The status in the service's words; `open` for a panel without a service.
    status: String,
    /// The study at the service.
    study: Option<String>,
    /// The number of people who came.
    came: u64,
    /// The number of people who have finished.
    finished: u64,
    /// The number of people who were turned away.
    turned_away: u64,
    /// What is owed, in cents, for panels that are paid by hand.
    owed_cents: u64,
    /// Submissions that wait for a decision.
    to_review: u64,
    /// Submissions that were approved.
    approved: u64,
    /// The median time of those who have finished.
    median_seconds: Option<u64>,
    /// Everybody who came.
    people: Vec<PanelPersonInfo>,
    /// The journal of bonuses.
    bonuses: Vec<BonusInfo>,
}

/// Somebody who came from a panel.
#[derive(Serialize, ToSchema)]
pub(crate) struct PanelPersonInfo {
    /// The panel's id of the person.
    person: String,
    /// The worker that they are.
    worker: String,
    /// The number of votes that count.
    votes: u64,
    /// `finished` or `turned_away`.
    outcome: Option<String>,
    /// Whether the service has confirmed who they are.
    verified: Option<bool>,
    /// Why they should be reviewed: `straightliner`, `inverted`, `copies_model` or `unknown`.
    doubt: Option<&'static str>,
    /// The id of their submission.
    submission: Option<String>,
    /// Its status, in the service's words.
    status: Option<String>,
    /// What was decided about it: `approve` or `return`.
    decision: Option<String>,
}

/// An entry of the journal of bonuses.
#[derive(Serialize, ToSchema)]
pub(crate) struct BonusInfo {
    /// The submission.
    submission: String,
    /// How much.
    cents: u64,
    /// `intended`, `sent`, `paid` or `refused`.
    status: String,
}

/// What a study costs and pays, by the service's own calculation. Amounts are in cents.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuoteInfo {
    /// For all places, with fees and tax.
    cost_cents: u64,
    /// What it has cost so far.
    spent_cents: u64,
    /// What the account has that no study has reserved.
    available_cents: u64,
    /// The currency.
    currency: String,
    /// The places.
    places: u32,
    /// The hourly wage.
    hourly_cents: u64,
    /// The lowest hourly wage that the service accepts.
    least_hourly_cents: u64,
    /// The hourly wage that it recommends.
    recommended_hourly_cents: u64,
    /// The reward that pays the recommended wage.
    recommended_reward_cents: u64,
    /// The seconds that the wage is computed by.
    seconds: u64,
    /// Whether those were measured.
    is_measured: bool,
}

/// An action on a study.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StudyCommand {
    /// Make the draft at the service, if that failed before.
    Draft,
    /// Publish it: it costs money from now on.
    Publish {
        /// The price that was agreed to, in cents. If it has changed, nothing is published.
        agreed_cents: u64,
    },
    /// Pause it: nobody new can take part.
    Pause,
    /// Resume it.
    Resume,
    /// End it.
    Stop,
    /// Add places, within the budget.
    Grow {
        /// The new number of places.
        places: u32,
    },
    /// Change what may be changed at any time.
    Limits {
        /// How many people at most.
        most_places: u32,
        /// What the whole study may cost.
        budget_cents: u64,
        /// Whether people who have answered are approved without review.
        approve: bool,
    },
}

/// What was done when the service was asked.
#[derive(Serialize, ToSchema)]
pub(crate) struct SyncedInfo {
    /// Submissions of which something new was learnt.
    changed: usize,
    /// Submissions that were approved.
    approved: usize,
    /// Bonuses that were paid.
    paid: usize,
    /// Bonuses that wait for the service to show them.
    waiting: usize,
    /// The places that the study has now, if it grew.
    grown_to: Option<u32>,
    /// Whether the study was ended because the campaign has.
    stopped: bool,
}

/// A decision about submissions.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// Approve all who have answered, except those who should be reviewed.
    ApproveAll,
    /// Approve these.
    Approve {
        /// Their ids.
        submissions: Vec<String>,
    },
    /// Ask these to return, which harms them less than a rejection.
    AskToReturn {
        /// Their ids.
        submissions: Vec<String>,
    },
    /// Give each of these a bonus, once.
    Bonus {
        /// Their ids.
        submissions: Vec<String>,
        /// How much.
        cents: u64,
    },
}

/// How many submissions a decision is about.
#[derive(Serialize, ToSchema)]
pub(crate) struct Decided {
    /// How many. They are carried out in the background.
    submissions: usize,
}

impl From<PanelEntry> for GenericPanel {
    fn from(entry: PanelEntry) -> Self {
        Self {
            id_parameter: entry.id_parameter,
            kept: entry.kept,
            questions: entry.questions,
            code: entry.code,
            turned_away_code: entry.turned_away_code,
            redirect: entry.redirect,
            session_parameter: entry.session_parameter,
            study_parameter: entry.study_parameter,
            reward_cents: entry.reward_cents,
            most_people: entry.most_people,
        }
    }
}

impl From<StudyFields> for StudySettings {
    fn from(study: StudyFields) -> Self {
        Self {
            name: study.title,
            description: study.description,
            places: study.places,
            most_places: study.most_places.unwrap_or(study.places),
            minutes: study.minutes,
            reward: Cents(study.reward_cents),
            budget: Cents(study.budget_cents),
            approve: study.approve,
        }
    }
}

impl From<PersonView> for PanelPersonInfo {
    fn from(one: PersonView) -> Self {
        let (submission, status, decision) = match one.submission {
            Some(own) => (Some(own.submission), Some(own.status), own.decision),
            None => (None, None, None),
        };
        Self {
            person: one.person.person,
            worker: one.person.worker.as_str().to_owned(),
            votes: one.votes,
            outcome: one.person.outcome,
            verified: one.person.verified.map(|verified| verified == 1),
            doubt: one.doubt.map(|doubt| match doubt {
                Doubt::Straightliner => "straightliner",
                Doubt::Inverted => "inverted",
                Doubt::CopiesModel(_) => "copies_model",
                Doubt::Unknown => "unknown",
            }),
            submission,
            status,
            decision,
        }
    }
}

impl From<PanelView> for PanelInfo {
    fn from(view: PanelView) -> Self {
        let PanelView { panel, tally, people, bonuses, .. } = view;
        let bonus = |one: Bonus| BonusInfo {
            submission: one.submission,
            cents: one.cents.unsigned_abs(),
            status: one.status,
        };
        Self {
            id: panel.id.0,
            name: panel.name,
            status: panel.status,
            study: panel.study,
            came: tally.came,
            finished: tally.finished,
            turned_away: tally.turned_away,
            owed_cents: tally.owed.0,
            to_review: tally.to_review,
            approved: tally.approved,
            median_seconds: tally.median_seconds,
            people: people.into_iter().map(PanelPersonInfo::from).collect(),
            bonuses: bonuses.into_iter().map(bonus).collect(),
        }
    }
}

impl From<Quote> for QuoteInfo {
    fn from(quote: Quote) -> Self {
        Self {
            cost_cents: quote.cost.0,
            spent_cents: quote.spent.0,
            available_cents: quote.available.0,
            currency: quote.currency,
            places: quote.places,
            hourly_cents: quote.hourly.0,
            least_hourly_cents: quote.least_hourly.0,
            recommended_hourly_cents: quote.recommended_hourly.0,
            recommended_reward_cents: quote.recommended_reward.0,
            seconds: quote.seconds,
            is_measured: quote.is_measured,
        }
    }
}

impl From<Synced> for SyncedInfo {
    fn from(done: Synced) -> Self {
        let Synced { changed, approved, paid, waiting, grown_to, stopped } = done;
        Self { changed, approved, paid, waiting, grown_to, stopped }
    }
}

/// A methods paragraph for a paper, and its figures. Amounts are in cents.
#[derive(Serialize, ToSchema)]
pub(crate) struct MethodsInfo {
    /// The paragraph.
    text: String,
    /// The people of each panel from which anybody has finished.
    panels: Vec<RecruitedInfo>,
    /// The votes that count.
    votes: u64,
    /// Those of language models.
    model_votes: u64,
    /// The models, as their endpoints call them.
    models: Vec<String>,
    /// The mean certainty of the hierarchy's edges.
    certainty: Option<f64>,
    /// Why some of the costs are not known.
    problems: Vec<String>,
}

/// The people of a panel.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecruitedInfo {
    /// The panel.
    through: String,
    /// How many have finished.
    people: u64,
    /// How many questions each of them answered at most.
    questions: u32,
    /// The hourly wage by the median time.
    hourly_cents: Option<u64>,
    /// What they cost: by the service with fees, or what they are owed.
    cost_cents: Option<u64>,
    /// The currency, if the service says.
    currency: String,
}

impl From<Methods> for MethodsInfo {
    fn from(methods: Methods) -> Self {
        let text = methods.to_string();
        let Methods { panels, votes, model_votes, models, certainty, problems } = methods;
        let recruited = |one: Recruited| RecruitedInfo {
            through: one.through,
            people: one.people,
            questions: one.questions,
            hourly_cents: one.hourly.map(|hourly| hourly.0),
            cost_cents: one.cost.map(|cost| cost.0),
            currency: one.currency,
        };
        let panels = panels.into_iter().map(recruited).collect();
        Self { text, panels, votes, model_votes, models, certainty, problems }
    }
}

/// Return a methods paragraph for a paper: people, votes, money, models and certainty
///
/// What studies have cost is asked of their services; where one does not answer, its cost is left out and `problems` says why.
#[utoipa::path(get, path = "/campaigns/{campaign}/methods", tag = "recruiting", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = MethodsInfo)))]
pub(super) async fn methods(campaign: CampaignAccess) -> Result<Json<MethodsInfo>> {
    Ok(Json(campaign.methods().await?.into()))
}

/// List the panels of a campaign
#[utoipa::path(get, path = "/campaigns/{campaign}/panels", tag = "recruiting", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<PanelInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<PanelInfo>>> {
    Ok(Json(campaign.panels().await?.into_iter().map(PanelInfo::from).collect()))
}

/// Add a panel, or draft a study
///
/// A study is only drafted, which costs nothing. If the service does not answer, the panel is there all the same, and the draft can be made again.
#[utoipa::path(post, path = "/campaigns/{campaign}/panels", tag = "recruiting", params(("campaign" = Uuid, Path)),
    request_body = NewPanel, responses((status = 201, body = CreatedPanel)))]
pub(super) async fn create(
    State(app): State<App>,
    campaign: CampaignAccess,
    Json(new): Json<NewPanel>,
) -> Result<(StatusCode, Json<CreatedPanel>)> {
    let (name, connection, settings) = match new {
        NewPanel::Link { name, entry } => (name, None, PanelSettings { entry: entry.into(), study: None }),
        NewPanel::Study { connection, questions, study } => {
            let settings = PanelSettings::of_study(study.into(), questions)?;
            let name = settings.study.as_ref().map_or_else(String::new, |study| study.name.clone());
            (name, Some(connection), settings)
        }
    };
    let entry = settings.entry.clone();
    let id = campaign.add_panel(&name, connection.as_deref(), settings).await?;
    let base = app.public_address.url();
    if connection.is_some() {
        campaign.draft_study(id, base).await?;
    }
    let link = entry.entry_url(&format!("{base}/p/{}", id.0.simple()));
    Ok((StatusCode::CREATED, Json(CreatedPanel { id: id.0, link })))
}

/// Return a panel with everybody who came
#[utoipa::path(get, path = "/campaigns/{campaign}/panels/{panel}", tag = "recruiting",
    params(("campaign" = Uuid, Path), ("panel" = Uuid, Path)), responses((status = 200, body = PanelInfo)))]
pub(super) async fn read(
    campaign: CampaignAccess,
    LastParam(panel): LastParam<Uuid>,
) -> Result<Json<PanelInfo>> {
    Ok(Json(campaign.panel(PanelId(panel)).await?.into()))
}

/// Return what a study costs with all fees, and what it pays an hour
#[utoipa::path(get, path = "/campaigns/{campaign}/panels/{panel}/quote", tag = "recruiting",
    params(("campaign" = Uuid, Path), ("panel" = Uuid, Path)), responses((status = 200, body = QuoteInfo)))]
pub(super) async fn quote(
    campaign: CampaignAccess,
    LastParam(panel): LastParam<Uuid>,
) -> Result<Json<QuoteInfo>> {
    Ok(Json(campaign.quote(PanelId(panel)).await?.into()))
}

/// Publish, pause, resume, stop or grow a study, or change its limits
#[utoipa::path(post, path = "/campaigns/{campaign}/panels/{panel}/study", tag = "recruiting",
    params(("campaign" = Uuid, Path), ("panel" = Uuid, Path)), request_body = StudyCommand, responses((status = 204)))]
pub(super) async fn command(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(panel): LastParam<Uuid>,
    Json(command): Json<StudyCommand>,
) -> Result<StatusCode> {
    let id = PanelId(panel);
    match command {
        StudyCommand::Draft => campaign.draft_study(id, app.public_address.url()).await?,
        StudyCommand::Publish { agreed_cents } => {
            campaign.publish_study(id, Some(Cents(agreed_cents))).await?
        }
        StudyCommand::Pause => campaign.pause_study(id).await?,
        StudyCommand::Resume => campaign.resume_study(id).await?,
        StudyCommand::Stop => campaign.stop_study(id).await?,
        StudyCommand::Grow { places } => campaign.grow_study(id, places).await?,
        StudyCommand::Limits { most_places, budget_cents, approve } => {
            campaign.set_study_limits(id, most_places, Cents(budget_cents), approve).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Ask the service now what is new, approve and pay what is decided
#[utoipa::path(post, path = "/campaigns/{campaign}/panels/{panel}/sync", tag = "recruiting",
    params(("campaign" = Uuid, Path), ("panel" = Uuid, Path)), responses((status = 200, body = SyncedInfo)))]
pub(super) async fn sync(
    campaign: CampaignAccess,
    LastParam(panel): LastParam<Uuid>,
) -> Result<Json<SyncedInfo>> {
    Ok(Json(campaign.sync_study(PanelId(panel)).await?.into()))
}

/// Approve people, ask them to return, or give them a bonus
///
/// The decision is written down and then carried out in the background, once.
#[utoipa::path(post, path = "/campaigns/{campaign}/panels/{panel}/decisions", tag = "recruiting",
    params(("campaign" = Uuid, Path), ("panel" = Uuid, Path)), request_body = Decision, responses((status = 200, body = Decided)))]
pub(super) async fn decide(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(panel): LastParam<Uuid>,
    Json(decision): Json<Decision>,
) -> Result<Json<Decided>> {
    let id = PanelId(panel);
    let count = match decision {
        Decision::ApproveAll => campaign.approve_all(id).await?,
        Decision::Approve { submissions } => {
            let count = submissions.len();
            campaign.approve(id, submissions).await?;
            count
        }
        Decision::AskToReturn { submissions } => {
            let count = submissions.len();
            campaign.ask_to_return(id, submissions).await?;
            count
        }
        Decision::Bonus { submissions, cents } => {
            let bonuses: Vec<_> = submissions.into_iter().map(|one| (one, Cents(cents))).collect();
            campaign.give_bonuses(id, &bonuses).await?;
            bonuses.len()
        }
    };
    app.recruit_now.notify_one();
    Ok(Json(Decided { submissions: count }))
}
