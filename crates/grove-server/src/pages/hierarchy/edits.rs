//! Edits that are made beside the hierarchy. A refused edit is reported beside its field, with what was typed.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Edit, NewConcept};
use grove_formats::name_key;
use grove_store::{Correction, CorrectionId, Position};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::concept::Refused;
use super::page;
use super::url::{HierarchyParams, PageUrl};
use crate::auth::CampaignAccess;
use crate::extract::{Form, Json, LastParam, QueryParams};
use crate::http_error::{HttpError, Result};
use crate::pages::campaign::{apply, redirect};
use crate::pages::layout::{Notice, sentence, with_error};

#[derive(Deserialize)]
pub(crate) struct CorrectionForm {
    rule: String,
    lower: u32,
    /// The number of the upper concept, or its name in `to`.
    upper: Option<u32>,
    to: Option<String>,
}

/// A form with one text field, which each form names differently.
#[derive(Deserialize)]
pub(crate) struct TextForm {
    #[serde(alias = "names", alias = "name", alias = "definition", alias = "article", alias = "to")]
    text: String,
}

/// Where a form came from, and what was typed.
struct Origin {
    form: &'static str,
    text: String,
    select: Option<u32>,
}

impl Origin {
    fn new(form: &'static str, text: &str, select: impl Into<Option<u32>>) -> Self {
        Self { form, text: text.to_owned(), select: select.into() }
    }
}

/// Applies an edit and redirects to the page, with a concept selected; or reports why it is refused.
async fn finish(
    campaign: &CampaignAccess,
    headers: &HeaderMap,
    edit: Result<Edit>,
    select: Option<u32>,
    origin: Origin,
) -> Result<Response> {
    let outcome = match edit {
        Ok(edit) => apply(campaign, edit).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(done) => {
            let path = format!("/campaigns/{}", campaign.id);
            let url = PageUrl::new(path, HierarchyParams::of_referrer(headers, select)).selecting(select);
            let joint = if url.contains('?') { '&' } else { '?' };
            let done = done.map(|position| format!("{joint}done={position}")).unwrap_or_default();
            Ok(Redirect::to(&format!("{url}{done}")).into_response())
        }
        Err(error) => {
            let Origin { form, text, select } = origin;
            let refused = Refused { form, text, why: sentence(&error) };
            // Beside the field if there is one, above the page if not.
            let notice = (select.is_none() && form != "add").then(|| Notice::from(&error));
            let params = HierarchyParams::of_referrer(headers, select);
            with_error(page(&campaign.reader(), headers, params, notice, Some(refused)).await?, error)
        }
    }
}

/// Applies an edit and goes back to the page that it was made on.
async fn change_status(campaign: &CampaignAccess, headers: &HeaderMap, edit: Edit) -> Result<Response> {
    let done = apply(campaign, edit).await?;
    let here = format!("/campaigns/{}", campaign.id);
    let from = headers.get(axum::http::header::REFERER).and_then(|from| from.to_str().ok());
    let address = from.and_then(|from| from.find(&here).map(|at| &from[at..])).unwrap_or(&here);
    let address = address.split('#').next().unwrap_or(&here);
    // How the page was shown stays; what the last edit did is no longer said.
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let kept = query.split('&').filter(|part| !part.is_empty() && !part.starts_with("done="));
    let done = done.map(|position| format!("done={position}"));
    let query = kept.map(str::to_owned).chain(done).collect::<Vec<_>>().join("&");
    let query = if query.is_empty() { query } else { format!("?{query}") };
    Ok(Redirect::to(&format!("{path}{query}")).into_response())
}

pub(crate) async fn pause(campaign: CampaignAccess, headers: HeaderMap) -> Result<Response> {
    change_status(&campaign, &headers, Edit::Pause { reason: String::new() }).await
}

pub(crate) async fn resume(campaign: CampaignAccess, headers: HeaderMap) -> Result<Response> {
    change_status(&campaign, &headers, Edit::Resume).await
}

/// Undoes an edit of the past, by its position in the log.
pub(crate) async fn undo(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(position): LastParam<i64>,
) -> Result<Response> {
    change_status(&campaign, &headers, Edit::Undo { edit: Position(position) }).await
}

pub(crate) async fn correct(
    campaign: CampaignAccess,
    headers: HeaderMap,
    Form(form): Form<CorrectionForm>,
) -> Result<Response> {
    let lower = form.lower;
    let origin = Origin::new("move", form.to.as_deref().unwrap_or_default(), lower);
    let edit = correction(&campaign, form);
    // What is corrected already needs no other correction: the form may have been sent twice.
    let is_known = |edit: &Edit| match edit {
        Edit::Correct { correction, .. } => campaign
            .state()
            .is_ok_and(|state| state.corrections().iter().any(|standing| standing.correction == *correction)),
        _ => false,
    };
    if edit.as_ref().is_ok_and(is_known) {
        return Ok(redirect(&campaign, &format!("?select={lower}")));
    }
    finish(&campaign, &headers, edit, Some(lower), origin).await
}

fn correction(campaign: &CampaignAccess, form: CorrectionForm) -> Result<Edit> {
    let upper = match &form.to {
        Some(name) => Some(campaign.state()?.find(name)?),
        None => form.upper,
    };
    let (lower, upper) =
        (form.lower, upper.ok_or_else(|| HttpError::BadRequest("name a concept".to_owned()))?);
    let id = CorrectionId(Uuid::now_v7());
    match form.rule.as_str() {
        "pin" => Ok(Edit::Move { id, lower, upper }),
        "forbid" => Ok(Edit::Correct { id, correction: Correction::NotUnder { lower, upper } }),
        _ => Err(HttpError::BadRequest("a parent is pinned or forbidden".to_owned())),
    }
}

pub(crate) async fn undo_correction(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(id): LastParam<Uuid>,
) -> Result<Response> {
    let edit = Edit::UndoCorrection { correction: CorrectionId(id) };
    finish(&campaign, &headers, Ok(edit), None, Origin::new("undo", "", None)).await
}

pub(crate) async fn add(
    campaign: CampaignAccess,
    headers: HeaderMap,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let names = form.text.lines().map(str::trim).filter(|name| !name.is_empty());
    let edit = Edit::Add(names.map(NewConcept::named).collect());
    finish(&campaign, &headers, Ok(edit), None, Origin::new("add", &form.text, None)).await
}

pub(crate) async fn rename(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(concept): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let edit = Edit::Rename { concept, name: form.text.trim().to_owned() };
    finish(&campaign, &headers, Ok(edit), Some(concept), Origin::new("rename", &form.text, concept)).await
}

pub(crate) async fn describe(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(concept): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let known = campaign.state()?.concepts().get(concept).cloned();
    let synonyms = known.ok_or(HttpError::NotFound)?.synonyms;
    let edit = Edit::Redescribe { concept, definition: form.text.trim().to_owned(), synonyms };
    finish(&campaign, &headers, Ok(edit), Some(concept), Origin::new("describe", &form.text, concept)).await
}

/// Sets what stands before the name in questions.
pub(crate) async fn set_article(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(concept): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let edit = Edit::SetArticle { concept, article: form.text.clone() };
    finish(&campaign, &headers, Ok(edit), Some(concept), Origin::new("article", &form.text, concept)).await
}

pub(crate) async fn merge(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(gone): LastParam<u32>,
    Form(form): Form<TextForm>,
) -> Result<Response> {
    let kept = campaign.state()?.find(&form.text);
    let select = *kept.as_ref().unwrap_or(&gone);
    let edit = kept.map(|kept| Edit::Merge { gone, kept }).map_err(HttpError::from);
    finish(&campaign, &headers, edit, Some(select), Origin::new("merge", &form.text, gone)).await
}

pub(crate) async fn remove(
    campaign: CampaignAccess,
    headers: HeaderMap,
    LastParam(concept): LastParam<u32>,
) -> Result<Response> {
    let origin = Origin::new("remove", "", concept);
    finish(&campaign, &headers, Ok(Edit::Remove { concept }), None, origin).await
}

#[derive(Deserialize)]
pub(crate) struct NamesQuery {
    #[serde(default)]
    find: String,
}

/// A name to choose.
#[derive(Serialize)]
pub(crate) struct Name {
    number: u32,
    name: String,
}

/// The most names that are offered to choose from.
const NAMES: usize = 12;

/// The names that contain a text; those that begin with it first.
pub(crate) async fn names(
    campaign: CampaignAccess,
    QueryParams(query): QueryParams<NamesQuery>,
) -> Result<Json<Vec<Name>>> {
    let text = name_key(&query.find);
    let state = campaign.state()?;
    let root = (0, state.settings().root.clone());
    let present = state.concepts().present().map(|concept| (concept.number, concept.name.clone()));
    let matching = std::iter::once(root).chain(present).filter_map(|(number, name)| {
        let at = name_key(&name).find(&text)?;
        Some((at > 0, name.chars().count(), Name { number, name }))
    });
    let mut matching: Vec<_> = matching.collect();
    matching.sort_by_key(|(inside, length, name)| (*inside, *length, name.number));
    Ok(Json(matching.into_iter().take(NAMES).map(|(_, _, name)| name).collect()))
}
