use axum::http::StatusCode;
use grove_campaign::{ConceptState, Edit, Fate, NewConcept};
use grove_store::CorrectionId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::campaigns::edit;
use crate::auth::CampaignAccess;
use crate::extract::{Json, LastParam};
use crate::http_error::{HttpError, Result};

/// A concept of a campaign.
#[derive(Serialize, ToSchema)]
#[schema(as = Concept)]
pub(crate) struct ConceptInfo {
    /// The number of the concept in the campaign. It never changes and is never reused.
    number: u32,
    /// The name of the concept.
    name: String,
    /// Its definition; may be empty.
    definition: String,
    /// Other names of the concept.
    synonyms: Vec<String>,
    /// What stands before the name in a question: an article, `none`, `plural`, or nothing if the rules of the language decide.
    article: String,
    /// The IRI of the concept in the file that it came from; null if it has none.
    iri: Option<String>,
    /// Whether the concept is still part of the campaign: neither merged into another nor removed.
    present: bool,
    /// The number of the concept into which it was merged.
    merged_into: Option<u32>,
}

/// Changes to a concept. What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConceptChange {
    /// The new name.
    name: Option<String>,
    /// The new definition.
    definition: Option<String>,
    /// The new synonyms, which replace the old ones.
    synonyms: Option<Vec<String>>,
    /// What stands before the name in a question from now on: an article such as `an`, `none`, `plural` (no article, and "are"), or nothing
    /// for the rules of the language to decide. A new name comes without, unless it is given together with this.
    #[schema(max_length = 30, example = "an")]
    article: Option<String>,
}

/// A merger of two concepts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Merger {
    /// The number of the concept that stays. It gets the votes on both.
    into: u32,
}

/// A new place for a concept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlace {
    /// An id that the client chooses for the correction that pins the concept. Sending the same move again changes nothing.
    id: Uuid,
    /// The number of the new parent; 0 for the root.
    upper: u32,
}

/// List all concepts that were ever added
#[utoipa::path(get, path = "/campaigns/{campaign}/concepts", tag = "concepts", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<ConceptInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<ConceptInfo>>> {
    let info = |concept: &ConceptState| ConceptInfo {
        number: concept.number,
        name: concept.name.clone(),
        definition: concept.definition.clone(),
        synonyms: concept.synonyms.clone(),
        article: concept.article.to_string(),
        iri: concept.origin.as_ref().and_then(|origin| origin.iri.clone()),
        present: concept.fate == Fate::Present,
        merged_into: match concept.fate {
            Fate::Merged { into, .. } => Some(into),
            _ => None,
        },
    };
    Ok(Json(campaign.state()?.concepts().all().iter().map(info).collect()))
}

/// Add concepts
#[utoipa::path(post, path = "/campaigns/{campaign}/concepts", tag = "concepts", params(("campaign" = Uuid, Path)),
    request_body = Vec<NewConcept>, responses((status = 204)))]
pub(super) async fn add(campaign: CampaignAccess, Json(new): Json<Vec<NewConcept>>) -> Result<StatusCode> {
    edit(&campaign, Edit::Add(new)).await
}

/// Change the name, the definition, the synonyms or the article of a concept
#[utoipa::path(patch, path = "/campaigns/{campaign}/concepts/{concept}", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), request_body = ConceptChange,
    responses((status = 204)))]
pub(super) async fn change(
    campaign: CampaignAccess,
    LastParam(concept): LastParam<u32>,
    Json(change): Json<ConceptChange>,
) -> Result<StatusCode> {
    let mut edits = Vec::new();
    if change.definition.is_some() || change.synonyms.is_some() {
        let known = campaign.state()?.concepts().get(concept).cloned().ok_or(HttpError::NotFound)?;
        let definition = change.definition.unwrap_or(known.definition);
        let synonyms = change.synonyms.unwrap_or(known.synonyms);
        edits.push(Edit::Redescribe { concept, definition, synonyms });
    }
    edits.extend(change.name.map(|name| Edit::Rename { concept, name }));
    // After the name: a new name comes without an article.
    edits.extend(change.article.map(|article| Edit::SetArticle { concept, article }));
    campaign.edit_all(edits).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a concept: votes and corrections about it no longer count
#[utoipa::path(delete, path = "/campaigns/{campaign}/concepts/{concept}", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), responses((status = 204)))]
pub(super) async fn remove(
    campaign: CampaignAccess,
    LastParam(concept): LastParam<u32>,
) -> Result<StatusCode> {
    edit(&campaign, Edit::Remove { concept }).await
}

/// Merge a concept into another, which gets the votes on both
#[utoipa::path(post, path = "/campaigns/{campaign}/concepts/{concept}/merge", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path, description = "The concept that disappears")),
    request_body = Merger, responses((status = 204)))]
pub(super) async fn merge(
    campaign: CampaignAccess,
    LastParam(gone): LastParam<u32>,
    Json(merger): Json<Merger>,
) -> Result<StatusCode> {
    edit(&campaign, Edit::Merge { gone, kept: merger.into }).await
}

/// Move a concept
///
/// Pins the concept directly under another, whatever the votes say, and undoes corrections that pin it elsewhere. If other corrections
/// forbid the new place, the move is refused and nothing changes.
#[utoipa::path(post, path = "/campaigns/{campaign}/concepts/{concept}/move", tag = "concepts",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path)), request_body = NewPlace, responses((status = 204)))]
pub(super) async fn relocate(
    campaign: CampaignAccess,
    LastParam(lower): LastParam<u32>,
    Json(place): Json<NewPlace>,
) -> Result<StatusCode> {
    edit(&campaign, Edit::Move { id: CorrectionId(place.id), lower, upper: place.upper }).await
}
