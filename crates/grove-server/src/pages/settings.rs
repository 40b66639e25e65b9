use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Budget, Edit, Settings, TargetSetting};
use serde::Deserialize;

use super::campaign::{CampaignHeader, apply, redirect};
use super::layout::{Layout, Notice, render, with_error};
use super::new_campaign::amount;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};

#[derive(Template)]
#[template(path = "campaign/settings.html")]
struct SettingsPage {
    layout: Layout,
    header: CampaignHeader,
    settings: Settings,
    /// Settings that may be empty, as text.
    vote_limit: String,
    budget: String,
    target: String,
    json: String,
}

#[derive(Deserialize)]
pub(super) struct SettingsForm {
    title: String,
    root: String,
    relation: String,
    language: String,
    consent: String,
    price: String,
    votes: String,
    cents: String,
    target: String,
    per_question: String,
    per_task: String,
    lease: String,
}

#[derive(Deserialize)]
pub(super) struct StopForm {
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
pub(super) struct DeleteForm {
    /// The title, typed again to confirm.
    sure: String,
}

fn page(campaign: &CampaignAccess, notice: Option<Notice>) -> Result<Response> {
    let settings = campaign.state()?.settings().clone();
    let text = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    // Rounded, because 100 times 0.57 is not quite 57.
    let per_cent = |share: f64| (share * 1e12).round() / 1e10;
    let header = CampaignHeader::new(campaign, "Settings", notice)?;
    render(&SettingsPage {
        layout: header.layout(campaign),
        header,
        vote_limit: settings.budget.votes.map_or_else(String::new, |votes| votes.to_string()),
        budget: text(settings.budget.cents),
        target: text(settings.target.map(|target| per_cent(target.certainty))),
        json: serde_json::to_string_pretty(&settings.to_json()).map_err(|_| HttpError::Internal)?,
        settings,
    })
}

fn page_with_error(campaign: &CampaignAccess, error: HttpError) -> Result<Response> {
    with_error(page(campaign, Some(Notice::from(&error)))?, error)
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    page(&campaign, None)
}

pub(super) async fn save(campaign: CampaignAccess, Form(form): Form<SettingsForm>) -> Result<Response> {
    let before = campaign.state()?.settings().clone();
    let saved = match form.settings(before) {
        Ok(settings) => apply(&campaign, Edit::Set(Box::new(settings))).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(()) => page(&campaign, Some(Notice::success("Saved."))),
        Err(error) => page_with_error(&campaign, error),
    }
}

/// Parses a number that must not be left out.
fn required<T: std::str::FromStr>(field: &str, text: &str) -> Result<T> {
    amount(field, text)?.ok_or_else(|| HttpError::BadRequest(format!("{field} must not be empty")))
}

impl SettingsForm {
    fn settings(self, before: Settings) -> Result<Settings> {
        let target: Option<f64> = amount("the certainty", &self.target)?;
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            relation: self.relation.trim().to_owned(),
            language: self.language.trim().to_owned(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            price_cents: amount("the price", &self.price)?.unwrap_or(0.0),
            budget: Budget {
                votes: amount("the vote limit", &self.votes)?,
                cents: amount("the budget", &self.cents)?,
            },
            target: target.map(|per_cent| TargetSetting {
                certainty: per_cent / 100.0,
                mean: before.target.is_some_and(|target| target.mean),
            }),
            votes_per_question: required("workers per question", &self.per_question)?,
            questions_per_task: required("questions per task", &self.per_task)?,
            lease_seconds: required("the seconds", &self.lease)?,
            ..before
        };
        settings.check()?;
        Ok(settings)
    }
}

pub(super) async fn stop(campaign: CampaignAccess, Form(form): Form<StopForm>) -> Result<Response> {
    apply(&campaign, Edit::Stop { reason: form.reason.trim().to_owned() }).await?;
    Ok(redirect(&campaign, "/settings"))
}

/// Deletes the campaign, if its title was typed to confirm.
pub(super) async fn delete(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(form): Form<DeleteForm>,
) -> Result<Response> {
    if form.sure.trim() != campaign.state()?.settings().heading().title {
        let why = "that is not the campaign's title; nothing was deleted";
        return page_with_error(&campaign, HttpError::BadRequest(why.to_owned()));
    }
    campaign.access.delete().await?;
    app.invitations.clear();
    Ok(Redirect::to("/").into_response())
}
