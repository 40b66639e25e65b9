//! What an owner does beside the drawing. What cannot be done is told on the same page.

use axum::extract::{RawPathParams, State};
use axum::response::{IntoResponse, Response};
use grove_campaign::{Edit, NewConcept};
use grove_store::{Correction, CorrectionId};
use serde::Deserialize;
use uuid::Uuid;

use super::campaign::{act, back};
use super::hierarchy::{Query, render};
use super::shell::Note;
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Form;

#[derive(Deserialize)]
pub(super) struct CorrectForm {
    id: Uuid,
    rule: String,
    lower: u32,
    /// The concept above by number, or `to` by name.
    upper: Option<u32>,
    to: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Names {
    names: String,
}

#[derive(Deserialize)]
pub(super) struct Name {
    name: String,
}

#[derive(Deserialize)]
pub(super) struct Definition {
    definition: String,
}

#[derive(Deserialize)]
pub(super) struct To {
    to: String,
}

/// Does it and goes back; or says why not.
async fn done(app: &App, owned: &Owned, edit: Edit, select: Option<u32>) -> Result<Response, Fault> {
    match act(owned, edit).await {
        Ok(()) => Ok(back(owned, &select.map_or_else(String::new, |concept| format!("?select={concept}")))),
        Err(fault) if fault.status().is_server_error() => Err(fault),
        Err(fault) => refuse(app, owned, &fault, select).await,
    }
}

async fn refuse(app: &App, owned: &Owned, fault: &Fault, select: Option<u32>) -> Result<Response, Fault> {
    let query = select.map_or_else(Query::default, Query::selecting);
    let told = render(app, owned, query, Some(Note::from(fault))).await?;
    Ok((fault.status(), told).into_response())
}

fn concept(params: &RawPathParams) -> Result<u32, Fault> {
    let concept = params.iter().find(|(name, _)| *name == "concept");
    concept.and_then(|(_, number)| number.parse().ok()).ok_or(Fault::NotFound)
}

pub(super) async fn pause(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    done(&app, &owned, Edit::Pause { reason: String::new() }, None).await
}

pub(super) async fn resume(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    done(&app, &owned, Edit::Resume, None).await
}

pub(super) async fn correct(
    State(app): State<App>,
    owned: Owned,
    Form(form): Form<CorrectForm>,
) -> Result<Response, Fault> {
    let lower = form.lower;
    let named = form.to.as_deref().map(|name| owned.campaign.look(|state| state.find(name))).transpose();
    let upper = match named {
        Ok(named) => named.or(form.upper).ok_or_else(|| Fault::Bad("say under which concept".to_owned()))?,
        Err(error) => return refuse(&app, &owned, &error.into(), Some(lower)).await,
    };
    let correction = match (form.rule.as_str(), upper) {
        ("pin", 0) => Correction::TopLevel { concept: lower },
        ("pin", upper) => Correction::DirectlyUnder { lower, upper },
        ("forbid", upper) => Correction::NotUnder { lower, upper },
        _ => return Err(Fault::Bad("a place is pinned or forbidden".to_owned())),
    };
    // Whoever moves a concept means it to leave the place where it was laid down before.
    if form.rule == "pin" {
        act(&owned, Edit::Free { lower, upper: None }).await?;
    }
    done(&app, &owned, Edit::Correct { id: CorrectionId(form.id), correction }, Some(lower)).await
}

pub(super) async fn take_back(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let id = params.iter().find(|(name, _)| *name == "correction");
    let correction = id.and_then(|(_, id)| id.parse().ok()).map(CorrectionId).ok_or(Fault::NotFound)?;
    done(&app, &owned, Edit::TakeBack { correction }, None).await
}

pub(super) async fn add(
    State(app): State<App>,
    owned: Owned,
    Form(form): Form<Names>,
) -> Result<Response, Fault> {
    let names = form.names.lines().map(str::trim).filter(|name| !name.is_empty());
    done(&app, &owned, Edit::Add(names.map(NewConcept::named).collect()), None).await
}

pub(super) async fn rename(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
    Form(form): Form<Name>,
) -> Result<Response, Fault> {
    let concept = concept(&params)?;
    let name = form.name.trim().to_owned();
    done(&app, &owned, Edit::Rename { concept, name }, Some(concept)).await
}

pub(super) async fn describe(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
    Form(form): Form<Definition>,
) -> Result<Response, Fault> {
    let concept = concept(&params)?;
    let known = owned.campaign.look(|state| state.concepts().get(concept).cloned()).ok_or(Fault::NotFound)?;
    let definition = form.definition.trim().to_owned();
    let edit = Edit::Redescribe { concept, definition, synonyms: known.synonyms };
    done(&app, &owned, edit, Some(concept)).await
}

pub(super) async fn merge(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
    Form(form): Form<To>,
) -> Result<Response, Fault> {
    let gone = concept(&params)?;
    match owned.campaign.look(|state| state.find(&form.to)) {
        Ok(kept) => done(&app, &owned, Edit::Merge { gone, kept }, Some(kept)).await,
        Err(error) => refuse(&app, &owned, &error.into(), Some(gone)).await,
    }
}

pub(super) async fn remove(
    State(app): State<App>,
    owned: Owned,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let concept = concept(&params)?;
    done(&app, &owned, Edit::Remove { concept }, None).await
}
