//! One panel: its link, who came, the study at its service, and what it costs.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use grove_campaign::operations::recruit::{Doubt, PanelView, PersonView, Quote};
use grove_crowd::Cents;
use grove_store::{Bonus, PanelId, StoredSubmission};
use serde::Deserialize;
use uuid::Uuid;

use super::super::campaign::{CampaignHeader, redirect};
use super::super::layout::{Layout, Notice, capitalised, render, with_error};
use super::forms::panel_id;
use super::{status_in_words, wage_in_words};
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};

/// The people on one page.
const PAGE: usize = 500;

#[derive(Template)]
#[template(path = "campaign/recruit_panel.html")]
struct PanelPage {
    layout: Layout,
    header: CampaignHeader,
    /// The path of this page.
    path: String,
    view: PanelView,
    status: &'static str,
    link: String,
    /// What the study costs, or why that is not known.
    quote: Option<std::result::Result<Quote, String>>,
    /// The hourly wage by the measured time, where there is no service to say.
    hourly: Option<Cents>,
    people: Vec<PersonRow>,
    more: usize,
}

/// Somebody who came.
struct PersonRow {
    person: String,
    worker: String,
    votes: u64,
    minutes: Option<String>,
    /// What the service says, or how they left.
    status: String,
    doubt: Option<String>,
    /// The submission, if it can still be decided on.
    submission: Option<String>,
    can_decide: bool,
    needs_review: bool,
}

impl PersonRow {
    fn new(one: &PersonView) -> Self {
        let submission = one.submission.as_ref();
        let status = match (submission, one.person.outcome.as_deref()) {
            (Some(submission), _) => decided(submission),
            (None, Some("finished")) => "Finished".to_owned(),
            (None, Some(_)) => "Turned away".to_owned(),
            (None, None) if one.person.consented.is_some() => "Answering".to_owned(),
            (None, None) => "Has not agreed yet".to_owned(),
        };
        let seconds = submission.and_then(|one| one.seconds).or_else(|| {
            let end = one.person.finished?;
            Some((end.0 - one.person.entered.0) / 1_000_000)
        });
        let is_waiting =
            submission.is_some_and(|one| one.status == "AWAITING REVIEW" && one.decision.is_none());
        Self {
            person: one.person.person.clone(),
            worker: one.person.worker.as_str().to_owned(),
            votes: one.votes,
            minutes: seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(in_minutes),
            status,
            doubt: one.doubt.map(doubt_in_words),
            submission: submission.map(|one| one.submission.clone()),
            can_decide: is_waiting,
            needs_review: is_waiting && one.doubt.is_some(),
        }
    }
}

fn in_minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// A submission's status in words, with what was decided about it.
fn decided(submission: &StoredSubmission) -> String {
    let status = match submission.status.as_str() {
        "RESERVED" => "Has a place",
        "ACTIVE" => "Answering",
        "TIMED-OUT" => "Took too long",
        "AWAITING REVIEW" => "Waits for approval",
        "APPROVED" => "Approved",
        "RETURNED" => "Returned",
        "REJECTED" => "Rejected",
        "SCREENED OUT" => "Screened out",
        "PARTIALLY APPROVED" => "Paid in part",
        _ => "Unknown",
    };
    match (submission.status.as_str(), submission.decision.as_deref()) {
        ("AWAITING REVIEW", Some("approve")) => "Being approved".to_owned(),
        ("AWAITING REVIEW" | "ACTIVE" | "TIMED-OUT", Some("return")) => "Asked to return".to_owned(),
        _ => status.to_owned(),
    }
}

fn doubt_in_words(doubt: Doubt) -> String {
    match doubt {
        Doubt::Straightliner => "Likely random answers".to_owned(),
        Doubt::Inverted => "Reversed answers".to_owned(),
        Doubt::CopiesModel(p) => format!("Answers like a language model ({:.0} % likely)", 100.0 * p),
        Doubt::Unknown => "The panel does not know this person".to_owned(),
    }
}

impl PanelPage {
    fn study(&self) -> Option<&grove_campaign::operations::recruit::StudySettings> {
        self.view.settings.study.as_ref()
    }

    fn median(&self) -> Option<String> {
        self.view.tally.median_seconds.map(in_minutes)
    }

    fn is_draft(&self) -> bool {
        self.view.panel.status == "UNPUBLISHED"
    }

    fn has_draft(&self) -> bool {
        self.view.panel.study.is_some()
    }

    /// Whether the study is resumed with its campaign.
    fn is_paused_with_campaign(&self) -> bool {
        self.view.panel.status == "PAUSED" && self.view.panel.paused_with_campaign != 0
    }

    fn can(&self, action: &str) -> bool {
        let status = self.view.panel.status.as_str();
        let may_open_again = || {
            let places = self.view.panel.places.unwrap_or(0);
            self.study().is_some_and(|study| i64::from(study.most_places) > places)
        };
        match action {
            "pause" => status == "ACTIVE" || self.is_paused_with_campaign(),
            "resume" => status == "PAUSED",
            "stop" => match status {
                "ACTIVE" | "PAUSED" => true,
                "AWAITING REVIEW" | "COMPLETED" => may_open_again(),
                _ => false,
            },
            _ => matches!(status, "ACTIVE" | "PAUSED" | "AWAITING REVIEW" | "COMPLETED"),
        }
    }

    fn wage(&self, quote: &Quote) -> (&'static str, bool) {
        wage_in_words(quote)
    }

    /// The journal, the newest first.
    fn bonuses(&self) -> Vec<(&Bonus, Cents, &'static str)> {
        let words = |status: &str| match status {
            "intended" => "To be paid",
            "sent" => "Sent; waiting for the panel to show it",
            "paid" => "Paid",
            _ => "Refused",
        };
        let all = self.view.bonuses.iter().rev();
        all.map(|bonus| (bonus, Cents(bonus.cents.unsigned_abs()), words(&bonus.status))).collect()
    }

    fn can_decide(&self) -> bool {
        self.people.iter().any(|row| row.submission.is_some())
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel)): Path<(Uuid, String)>,
) -> Result<Response> {
    page(&app, &campaign, panel_id(&panel)?, None).await
}

async fn page(app: &App, campaign: &CampaignAccess, id: PanelId, notice: Option<Notice>) -> Result<Response> {
    let view = campaign.panel(id).await?;
    let quote = match &view.settings.study {
        Some(_) => Some(campaign.recent_quote(id).await.map_err(|error| capitalised(&error.to_string()))),
        None => None,
    };
    let entry = &view.settings.entry;
    let mut people: Vec<PersonRow> = view.people.iter().map(PersonRow::new).collect();
    // Those whom somebody has to look at come first, then those who wait; otherwise in the order in which they came.
    people.sort_by_key(|row| (!row.needs_review, !row.can_decide));
    let more = people.len().saturating_sub(PAGE);
    people.truncate(PAGE);
    let base = format!("{}/p/{}", app.public_address.url(), id.0.simple());
    let link = match view.settings.study {
        Some(_) => entry.entry_url(&base),
        None => format!("{base}?{}=", entry.id_parameter),
    };
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Recruit", notice).await?;
    render(&PanelPage {
        layout: header.layout(&reader),
        path: format!("{}/recruit/{}", header.path, id.0.simple()),
        status: status_in_words(&view.panel.status),
        link,
        // A service says it beside the cost.
        hourly: view.hourly().filter(|_| quote.is_none()),
        header,
        view,
        quote,
        people,
        more,
    })
}

/// The page of a panel, with why something was refused.
pub(super) async fn refused_on(
    app: &App,
    campaign: &CampaignAccess,
    id: PanelId,
    error: HttpError,
) -> Result<Response> {
    let shown = page(app, campaign, id, Some(Notice::from(&error))).await?;
    // An error of the service is shown in the page.
    match error {
        HttpError::Unavailable(text) => with_error(shown, HttpError::Conflict(text)),
        other => with_error(shown, other),
    }
}

/// Back to the page of a panel, or the page with why something was refused.
async fn done(
    app: &App,
    campaign: &CampaignAccess,
    id: PanelId,
    outcome: std::result::Result<(), grove_campaign::Error>,
) -> Result<Response> {
    match outcome {
        Ok(()) => Ok(redirect(campaign, &format!("/recruit/{}", id.0.simple()))),
        Err(error) => refused_on(app, campaign, id, error.into()).await,
    }
}

/// What an action on a study may need.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ActionForm {
    /// The price that the owner has agreed to.
    agreed: String,
    places: String,
}

/// Drafts, publishes, pauses, resumes, stops or grows a study.
pub(crate) async fn act(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel, action)): Path<(Uuid, String, String)>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    let id = panel_id(&panel)?;
    let outcome = match action.as_str() {
        "draft" => campaign.draft_study(id, app.public_address.url()).await,
        "publish" => match form.agreed.parse() {
            Ok(agreed) => campaign.publish_study(id, Some(agreed)).await,
            Err(_) => {
                let error =
                    HttpError::BadRequest("agree to the price first; nothing was published".to_owned());
                return refused_on(&app, &campaign, id, error).await;
            }
        },
        "pause" => campaign.pause_study(id).await,
        "resume" => campaign.resume_study(id).await,
        "stop" => campaign.stop_study(id).await,
        "grow" => match form.places.trim().parse() {
            Ok(places) => campaign.grow_study(id, places).await,
            Err(_) => {
                let error = HttpError::BadRequest("the number of places must be a whole number".to_owned());
                return refused_on(&app, &campaign, id, error).await;
            }
        },
        _ => return Err(HttpError::NotFound),
    };
    done(&app, &campaign, id, outcome).await
}

/// Asks the service what is new.
pub(crate) async fn sync(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel)): Path<(Uuid, String)>,
) -> Result<Response> {
    let id = panel_id(&panel)?;
    let outcome = campaign.sync_study(id).await.map(drop);
    done(&app, &campaign, id, outcome).await
}

/// Approves all who have answered, except those who should be reviewed.
pub(crate) async fn approve_all(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel)): Path<(Uuid, String)>,
) -> Result<Response> {
    let id = panel_id(&panel)?;
    let outcome = campaign.approve_all(id).await.map(drop);
    app.recruit_now.notify_one();
    done(&app, &campaign, id, outcome).await
}

/// Approves those who are ticked, asks them to return, or gives them a bonus.
pub(crate) async fn decide(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel)): Path<(Uuid, String)>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Response> {
    let id = panel_id(&panel)?;
    let of = |name: &str| {
        let own = fields.iter().filter(|(field, _)| field == name);
        own.map(|(_, value)| value.clone()).collect::<Vec<String>>()
    };
    let (ticked, action) = (of("submission"), of("do"));
    let refuse = |text: &str| refused_on(&app, &campaign, id, HttpError::BadRequest(text.to_owned()));
    if ticked.is_empty() {
        return refuse("tick somebody first; nothing was changed").await;
    }
    let outcome = match action.first().map(String::as_str) {
        Some("approve") => campaign.approve(id, ticked).await,
        Some("return") => campaign.ask_to_return(id, ticked).await,
        Some("bonus") => match of("amount").concat().parse::<Cents>() {
            Ok(amount) => {
                let bonuses: Vec<_> = ticked.into_iter().map(|one| (one, amount)).collect();
                campaign.give_bonuses(id, &bonuses).await
            }
            Err(problem) => return refuse(&format!("the bonus was not given: {problem}")).await,
        },
        _ => return Err(HttpError::NotFound),
    };
    app.recruit_now.notify_one();
    done(&app, &campaign, id, outcome).await
}

/// What may be changed at any time, as it was typed.
#[derive(Deserialize)]
pub(crate) struct LimitsForm {
    most_places: String,
    budget: String,
    /// Present if it is ticked.
    approve: Option<String>,
}

/// Changes the budget, the most places and whether people are approved without review.
pub(crate) async fn limits(
    State(app): State<App>,
    campaign: CampaignAccess,
    Path((_, panel)): Path<(Uuid, String)>,
    Form(form): Form<LimitsForm>,
) -> Result<Response> {
    let id = panel_id(&panel)?;
    let (places, budget) = (form.most_places.trim().parse::<u32>(), form.budget.parse::<Cents>());
    let (Ok(places), Ok(budget)) = (places, budget) else {
        let text = "the most places must be a whole number, and the budget an amount such as 50.00";
        return refused_on(&app, &campaign, id, HttpError::BadRequest(text.to_owned())).await;
    };
    let outcome = campaign.set_study_limits(id, places, budget, form.approve.is_some()).await;
    done(&app, &campaign, id, outcome).await
}
