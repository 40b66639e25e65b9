use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Budget, Edit, Settings, TargetSetting};
use serde::Deserialize;

use super::campaign::{Bar, act, back};
use super::new::amount;
use super::shell::{Note, Shell, page};
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Form;

/// What may be left empty.
struct Optional {
    votes: String,
    cents: String,
    target: String,
}

#[derive(Template)]
#[template(path = "campaign/settings.html")]
struct SettingsPage {
    shell: Shell,
    bar: Bar,
    settings: Settings,
    form: Optional,
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
pub(super) struct Reason {
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
pub(super) struct Sure {
    sure: String,
}

fn render(owned: &Owned, settings: Settings, note: Option<Note>) -> Result<Response, Fault> {
    let text = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    let form = Optional {
        votes: settings.budget.votes.map_or_else(String::new, |votes| votes.to_string()),
        cents: text(settings.budget.cents),
        target: text(settings.target.map(|target| target.certainty)),
    };
    let json = serde_json::to_string_pretty(&settings.to_json()).map_err(|_| Fault::Internal)?;
    let bar = Bar::new(owned, "Settings", note);
    page(&SettingsPage { shell: bar.shell(owned), bar, settings, form, json })
}

pub(super) async fn show(owned: Owned) -> Result<Response, Fault> {
    let settings = owned.campaign.look(|state| state.settings().clone());
    render(&owned, settings, None)
}

pub(super) async fn save(owned: Owned, Form(form): Form<SettingsForm>) -> Result<Response, Fault> {
    let before = owned.campaign.look(|state| state.settings().clone());
    let outcome = match form.settings(before.clone()) {
        Ok(settings) => act(&owned, Edit::Set(Box::new(settings))).await,
        Err(fault) => Err(fault),
    };
    let now = owned.campaign.look(|state| state.settings().clone());
    match outcome {
        Ok(()) => render(&owned, now, Some(Note::good("Saved."))),
        Err(fault) if fault.status().is_server_error() => Err(fault),
        Err(fault) => Ok((fault.status(), render(&owned, now, Some(Note::from(&fault)))?).into_response()),
    }
}

impl SettingsForm {
    fn settings(self, before: Settings) -> Result<Settings, Fault> {
        let needed = |what: &str| Fault::Bad(format!("{what} must not be empty"));
        let target: Option<f64> = amount("the certainty", &self.target)?;
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            relation: self.relation.trim().to_owned(),
            language: self.language.trim().to_owned(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            price_cents: amount("the price", &self.price)?.unwrap_or(0.0),
            budget: Budget {
                votes: amount("the most votes", &self.votes)?,
                cents: amount("the most money", &self.cents)?,
            },
            target: target.map(|certainty| TargetSetting {
                certainty,
                mean: before.target.is_some_and(|target| target.mean),
            }),
            votes_per_question: amount("workers per question", &self.per_question)?
                .ok_or_else(|| needed("workers per question"))?,
            questions_per_task: amount("questions per task", &self.per_task)?
                .ok_or_else(|| needed("questions per task"))?,
            lease_seconds: amount("the seconds", &self.lease)?.ok_or_else(|| needed("the seconds"))?,
            ..before
        };
        settings.check()?;
        Ok(settings)
    }
}

pub(super) async fn stop(owned: Owned, Form(form): Form<Reason>) -> Result<Response, Fault> {
    act(&owned, Edit::Stop { reason: form.reason.trim().to_owned() }).await?;
    Ok(back(&owned, "/settings"))
}

/// Deletes the campaign, if its title was typed.
pub(super) async fn delete(
    State(app): State<App>,
    owned: Owned,
    Form(form): Form<Sure>,
) -> Result<Response, Fault> {
    let settings = owned.campaign.look(|state| state.settings().clone());
    if form.sure.trim() != settings.heading().title {
        let fault = Fault::Bad("that is not the campaign's title; nothing was deleted".to_owned());
        return Ok((fault.status(), render(&owned, settings, Some(Note::from(&fault)))?).into_response());
    }
    let id = owned.id;
    drop(owned);
    app.campaigns().stop(id).await;
    app.store().delete_campaign(id).await?;
    app.invitations().forget();
    Ok(Redirect::to("/").into_response())
}
