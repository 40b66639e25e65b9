use axum::Json;
use axum::extract::RawPathParams;
use axum::http::StatusCode;
use grove_campaign::{ConceptState, Edit, Fate, NewConcept};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::campaigns::act;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::{Body, Last};

/// A concept to be added.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConceptBody {
    /// What it is called.
    #[schema(max_length = 500, example = "brie")]
    name: String,
    /// What it means; may be empty.
    #[serde(default)]
    definition: String,
    /// Other names of it.
    #[serde(default)]
    synonyms: Vec<String>,
}

impl From<ConceptBody> for NewConcept {
    fn from(body: ConceptBody) -> Self {
        Self { name: body.name, definition: body.definition, synonyms: body.synonyms }
    }
}

/// A concept that was added at some time.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedConcept {
    /// Its number in the campaign.
    number: u32,
    /// What it is called.
    name: String,
    /// What it means.
    definition: String,
    /// Other names of it.
    synonyms: Vec<String>,
    /// Whether it is there still.
    present: bool,
    /// The concept that it turned out to be.
    merged_into: Option<u32>,
}

/// What to change about a concept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConceptChange {
    /// Its new name.
    name: Option<String>,
    /// Its new definition; together with the synonyms.
    definition: Option<String>,
    /// Its new synonyms.
    synonyms: Option<Vec<String>>,
}

/// What a concept is to become part of.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Into {
    /// The concept that stays, with the votes on both.
    into: u32,
}

/// All concepts that ever were.
#[utoipa::path(get, path = "/campaigns/{campaign}/concepts", tag = "concepts", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<ListedConcept>)))]
pub(super) async fn list(owned: Owned) -> Json<Vec<ListedConcept>> {
    let listed = |concept: &ConceptState| ListedConcept {
        number: concept.number,
        name: concept.name.clone(),
        definition: concept.definition.clone(),
        synonyms: concept.synonyms.clone(),
        present: concept.fate == Fate::Present,
        merged_into: match concept.fate {
            Fate::Merged { into, .. } => Some(into),
            _ => None,
        },
    };
    Json(owned.campaign.look(|state| state.concepts().all().iter().map(listed).collect()))
}

/// Adds concepts.
#[utoipa::path(post, path = "/campaigns/{campaign}/concepts", tag = "concepts", params(("campaign" = Uuid, Path)),
    request_body = Vec<ConceptBody>, responses((status = 204)))]
pub(super) async fn add(owned: Owned, Body(new): Body<Vec<ConceptBody>>) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Add(new.into_iter().map(NewConcept::from).collect())).await
}

/// Renames a concept, or says otherwise what it means.
#[utoipa::path(patch, path = "/campaigns/{campaign}/concepts/{concept}", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), request_body = ConceptChange,
    responses((status = 204)))]
pub(super) async fn change(
    owned: Owned,
    Last(concept): Last<u32>,
    Body(change): Body<ConceptChange>,
) -> Result<StatusCode, Fault> {
    if change.definition.is_some() || change.synonyms.is_some() {
        let known =
            owned.campaign.look(|state| state.concepts().get(concept).cloned()).ok_or(Fault::NotFound)?;
        let definition = change.definition.unwrap_or(known.definition);
        let synonyms = change.synonyms.unwrap_or(known.synonyms);
        act(&owned, Edit::Redescribe { concept, definition, synonyms }).await?;
    }
    match change.name {
        Some(name) => act(&owned, Edit::Rename { concept, name }).await,
        None => Ok(StatusCode::NO_CONTENT),
    }
}

/// Removes a concept, with all that was said about it.
#[utoipa::path(delete, path = "/campaigns/{campaign}/concepts/{concept}", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), responses((status = 204)))]
pub(super) async fn remove(owned: Owned, Last(concept): Last<u32>) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Remove { concept }).await
}

/// Makes one concept of two.
#[utoipa::path(post, path = "/campaigns/{campaign}/concepts/{concept}/merge", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), request_body = Into, responses((status = 204)))]
pub(super) async fn merge(
    owned: Owned,
    params: RawPathParams,
    Body(into): Body<Into>,
) -> Result<StatusCode, Fault> {
    let concept = params.iter().find(|(name, _)| *name == "concept");
    let gone = concept.and_then(|(_, concept)| concept.parse().ok()).ok_or(Fault::NotFound)?;
    act(&owned, Edit::Merge { gone, kept: into.into }).await
}
