use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::operations::Operation;
use grove_campaign::{Budget, Edit, Settings, TargetSetting};
use serde::Deserialize;

use super::campaign::{CampaignHeader, apply, redirect};
use super::layout::{Layout, Notice, render, with_error};
use super::options::{CURRENCIES, FormBoxes, LANGUAGES, ticked};
use super::refusals::Refusals;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};

/// The fields as they were typed.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SettingsForm {
    title: String,
    root: String,
    relation: String,
    language: String,
    #[serde(flatten)]
    forms: FormBoxes,
    most_options: String,
    /// Whether names are evidence; empty if not.
    names: String,
    /// Whether the hierarchy that the concepts came with is; empty if not.
    start: String,
    consent: String,
    currency: String,
    price: String,
    votes: String,
    budget: String,
    target: String,
    per_question: String,
    per_task: String,
    lease: String,
}

#[derive(Template)]
#[template(path = "campaign/settings.html")]
struct SettingsPage {
    layout: Layout,
    header: CampaignHeader,
    form: SettingsForm,
    refusals: Refusals,
    languages: &'static [(&'static str, &'static str)],
    currencies: &'static [&'static str],
    can_change_money: bool,
    can_delete: bool,
    can_hand_over: bool,
    json: String,
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

impl SettingsForm {
    fn of(settings: &Settings) -> Self {
        let text = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        // Rounded, because 100 times 0.57 is not quite 57.
        let rounded = |value: f64| (value * 1e10).round() / 1e10;
        Self {
            title: settings.title.clone(),
            root: settings.root.clone(),
            relation: settings.relation.clone(),
            language: settings.language.clone(),
            forms: FormBoxes::of(&settings.forms),
            most_options: settings.most_options.to_string(),
            names: ticked(settings.names_as_evidence),
            start: ticked(settings.hierarchy_as_evidence),
            consent: settings.consent.clone(),
            currency: settings.currency.clone(),
            price: rounded(settings.price_cents / 100.0).to_string(),
            votes: settings.budget.votes.map_or_else(String::new, |votes| votes.to_string()),
            budget: text(settings.budget.cents.map(|cents| rounded(cents / 100.0))),
            target: text(settings.target.map(|target| rounded(target.certainty * 100.0))),
            per_question: settings.votes_per_question.to_string(),
            per_task: settings.questions_per_task.to_string(),
            lease: settings.lease_seconds.to_string(),
        }
    }

    /// The settings that the form asks for, or what is wrong with each field.
    fn settings(&self, before: Settings) -> std::result::Result<Settings, Refusals> {
        let mut refusals = Refusals::default();
        let cents = |amount: f64| (amount * 1e6).round() / 1e4;
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            relation: self.relation.trim().to_owned(),
            language: self.language.trim().to_owned(),
            forms: self.forms.forms(&before.forms),
            most_options: refusals.required("most_options", &self.most_options),
            names_as_evidence: !self.names.is_empty(),
            hierarchy_as_evidence: !self.start.is_empty(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            currency: self.currency.trim().to_uppercase(),
            price_cents: refusals.number("price", &self.price).map_or(0.0, cents),
            budget: Budget {
                votes: refusals.number("votes", &self.votes),
                cents: refusals.number("budget", &self.budget).map(cents),
            },
            target: refusals.number("target", &self.target).map(|per_cent: f64| TargetSetting {
                certainty: per_cent / 100.0,
                mean: before.target.is_some_and(|target| target.mean),
            }),
            votes_per_question: refusals.required("per_question", &self.per_question),
            questions_per_task: refusals.required("per_task", &self.per_task),
            lease_seconds: refusals.required("lease", &self.lease),
            ..before
        };
        refusals.check(settings)
    }
}

async fn page(
    campaign: &CampaignAccess,
    notice: Option<Notice>,
    typed: Option<(SettingsForm, Refusals)>,
) -> Result<Response> {
    let settings = campaign.state()?.settings().clone();
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Settings", notice).await?;
    let (form, refusals) = typed.unwrap_or_else(|| (SettingsForm::of(&settings), Refusals::default()));
    render(&SettingsPage {
        layout: header.layout(&reader),
        header,
        form,
        refusals,
        languages: LANGUAGES,
        currencies: CURRENCIES,
        can_change_money: reader.may(Operation::ChangeMoney),
        can_delete: reader.may(Operation::DeleteCampaign),
        can_hand_over: reader.may(Operation::Share),
        json: serde_json::to_string_pretty(&settings.to_json()).map_err(|_| HttpError::Internal)?,
    })
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    campaign.caller().require(Operation::ChangeSettings)?;
    page(&campaign, None, None).await
}

/// The page with the reason why something else than a setting was refused.
pub(super) async fn refuse(campaign: &CampaignAccess, error: &HttpError) -> Result<Response> {
    page(campaign, Some(Notice::from(error)), None).await
}

/// The page with what was typed, and why fields were refused.
async fn refuse_fields(
    campaign: &CampaignAccess,
    form: SettingsForm,
    refusals: Refusals,
) -> Result<Response> {
    let text = match refusals.count() {
        1 => "One setting was refused; nothing was saved yet.",
        _ => "Some settings were refused; nothing was saved yet.",
    };
    let error = HttpError::BadRequest(text.to_owned());
    with_error(page(campaign, Some(Notice::from(&error)), Some((form, refusals))).await?, error)
}

pub(super) async fn save(campaign: CampaignAccess, Form(form): Form<SettingsForm>) -> Result<Response> {
    let before = campaign.state()?.settings().clone();
    let settings = match form.settings(before) {
        Ok(settings) => settings,
        Err(refusals) => return refuse_fields(&campaign, form, refusals).await,
    };
    match apply(&campaign, Edit::Set(Box::new(settings))).await {
        Ok(done) => {
            let done = done.map(|position| format!("?done={position}")).unwrap_or_default();
            Ok(redirect(&campaign, &format!("/settings{done}")))
        }
        Err(error) => refuse_fields(&campaign, form, Refusals::of_field("root", &error.to_string())).await,
    }
}

pub(super) async fn stop(campaign: CampaignAccess, Form(form): Form<StopForm>) -> Result<Response> {
    let done = apply(&campaign, Edit::Stop { reason: form.reason.trim().to_owned() }).await?;
    let done = done.map(|position| format!("?done={position}")).unwrap_or_default();
    Ok(redirect(&campaign, &format!("/settings{done}")))
}

/// Deletes the campaign, if its title was typed to confirm.
pub(super) async fn delete(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(form): Form<DeleteForm>,
) -> Result<Response> {
    if form.sure.trim() != campaign.title()?.trim() {
        let error = HttpError::BadRequest("that is not the campaign's title; nothing was deleted".to_owned());
        return with_error(refuse(&campaign, &error).await?, error);
    }
    match campaign.access.delete().await {
        Ok(()) => {}
        Err(error @ grove_campaign::Error::Panel(_)) => {
            let error = HttpError::from(error);
            return with_error(refuse(&campaign, &error).await?, error);
        }
        Err(error) => return Err(error.into()),
    }
    app.invitations.clear();
    Ok(Redirect::to("/").into_response())
}

#[cfg(test)]
mod tests {
    use grove_vocabulary::Form;

    use super::*;

    #[test]
    fn forms_of_question_are_ticked_and_keep_their_order() {
        let before = Settings {
            forms: vec![Form::Tick, Form::YesNo],
            names_as_evidence: true,
            ..Settings::new(grove_campaign::Preset::Crowd)
        };
        let form = SettingsForm::of(&before);
        assert_eq!(form.settings(before.clone()).unwrap(), before);
        let forms = FormBoxes::of(&[Form::Place, Form::Tick, Form::YesNo]);
        let changed = SettingsForm { forms, most_options: "4".into(), names: String::new(), ..form.clone() };
        let settings = changed.settings(before.clone()).unwrap();
        assert_eq!(settings.forms, [Form::Tick, Form::YesNo, Form::Place]);
        assert_eq!((settings.most_options, settings.names_as_evidence), (4, false));
        for (wrong, field) in [
            (SettingsForm { forms: FormBoxes::default(), ..form.clone() }, "forms"),
            (SettingsForm { most_options: "99".into(), ..form }, "most_options"),
        ] {
            assert!(wrong.settings(before.clone()).unwrap_err().of(field).is_some(), "{field}");
        }
    }

    #[test]
    fn every_bad_field_is_named_and_the_others_are_kept() {
        let form = SettingsForm {
            price: "many".into(),
            target: "x".into(),
            ..SettingsForm::of(&Settings { title: "Food".into(), ..Settings::default() })
        };
        let refusals = form.settings(Settings::default()).unwrap_err();
        assert_eq!(refusals.fields().collect::<Vec<_>>(), ["price", "target"]);
        let form = SettingsForm { price: "0,025".into(), target: "90".into(), ..form };
        let settings = form.settings(Settings::default()).unwrap();
        assert_eq!((settings.price_cents, settings.title.as_str()), (2.5, "Food"));
        assert_eq!(SettingsForm::of(&settings).price, "0.025");
        let form = SettingsForm { root: " ".into(), ..form };
        assert!(form.settings(Settings::default()).unwrap_err().of("root").is_some());
    }
}
