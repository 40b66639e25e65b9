//! Edits that an owner makes beside the tree. A refused edit is reported on the same page.

use axum::response::Response;
use grove_campaign::{Edit, NewConcept};
use grove_store::{Correction, CorrectionId};
use serde::Deserialize;
use uuid::Uuid;

use super::campaign::{apply, redirect};
use super::hierarchy::{HierarchyParams, page};
use super::layout::{Notice, with_error};
use crate::auth::CampaignAccess;
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};

#[derive(Deserialize)]
pub(super) struct CorrectionForm {
    id: Uuid,
    rule: String,
    lower: u32,
    /// The number of the upper concept, or its name in `to`.
    upper: Option<u32>,
    to: Option<String>,
}

/// A form with one text field, which each form names differently.
#[derive(Deserialize)]
pub(super) struct TextForm {
    #[serde(alias = "names", alias = "name", alias = "definition", alias = "to")]
    text: String,
}

/// Applies an edit and redirects to the page, with a concept selected; or reports why it is refused.
async fn finish(campaign: &CampaignAccess, edit: Result<Edit>, select: Option<u32>) -> Result<Response> {
    let outcome = match edit {
        Ok(edit) => apply(campaign, edit).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => {
            Ok(redirect(campaign, &select.map_or_else(String::new, |concept| format!("?select={concept}"))))
        }
        Err(error) => {
            let params = HierarchyParams::selecting(select);
            with_error(page(campaign, params, Some(Notice::from(&error))).await?, error)
        }
    }
}

pub(super) async fn pause(campaign: CampaignAccess) -> Result<Response> {
    finish(&campaign, Ok(Edit::Pause { reason: String::new() }), None).await
}

pub(super) async fn resume(campaign: CampaignAccess) -> Result<Response> {
    finish(&campaign, Ok(Edit::Resume), None).await
}

pub(super) async fn correct(campaign: CampaignAccess, Form(form): Form<CorrectionForm>) -> Result<Response> {
    let lower = form.lower;
    let edit = correction(&campaign, form);
    finish(&campaign, edit, Some(lower)).await
}

fn correction(campaign: &CampaignAccess, form: CorrectionForm) -> Result<Edit> {
    let upper = match &form.to {
        Some(name) => Some(campaign.state()?.find(name)?),
        None => form.upper,
    };
    let (lower, upper) =
        (form.lower, upper.ok_or_else(|| HttpError::BadRequest("name a concept".to_owned()))?);
    let id = CorrectionId(form.id);
    match form.rule.as_str() {
        "pin" => Ok(Edit::Move { id, lower, upper }),
        "forbid" => Ok(Edit::Correct { id, correction: Correction::NotUnder { lower, upper } }),
        _ => Err(HttpError::BadRequest("a parent is pinned or forbidden".to_owned())),
    }
}

pub(super) async fn undo_correction(
    campaign: CampaignAccess,
    LastParam(id): LastParam<Uuid>,
) -> Result<Response> {
    finish(&campaign, Ok(Edit::UndoCorrection { correction: CorrectionId(id) }), None).await
}

pub(super) async fn add(campaign: CampaignAccess, Form(form): Form<TextForm>) -> Result<Response> {
    let names = form.text.lines().map(str::trim).filter(|name| !name.is_empty());
    finish(&campaign, Ok(Edit::Add(names.map(NewConcept::named).collect())), None).await
}

pub(super) async fn rename(
    campaign: CampaignAccess,
    LastParam(concept): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let name = form.text.trim().to_owned();
    finish(&campaign, Ok(Edit::Rename { concept, name }), Some(concept)).await
}

pub(super) async fn describe(
    campaign: CampaignAccess,
    LastParam(concept): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let known = campaign.state()?.concepts().get(concept).cloned();
    let synonyms = known.ok_or(HttpError::NotFound)?.synonyms;
    let definition = form.text.trim().to_owned();
    finish(&campaign, Ok(Edit::Redescribe { concept, definition, synonyms }), Some(concept)).await
}

pub(super) async fn merge(
    campaign: CampaignAccess,
    LastParam(gone): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let kept = campaign.state()?.find(&form.text);
    let select = *kept.as_ref().unwrap_or(&gone);
    let edit = kept.map(|kept| Edit::Merge { gone, kept }).map_err(HttpError::from);
    finish(&campaign, edit, Some(select)).await
}

pub(super) async fn remove(campaign: CampaignAccess, LastParam(concept): LastParam<u32>) -> Result<Response> {
    finish(&campaign, Ok(Edit::Remove { concept }), None).await
}
