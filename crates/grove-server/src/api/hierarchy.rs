use axum::http::header;
use axum::response::{IntoResponse, Response};
use grove_campaign::number;
use grove_campaign::operations::View;
use grove_formats::{Format, WriteOptions, write};
use grove_store::Position;
use grove_vocabulary::{Place, Reason};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::auth::CampaignAccess;
use crate::comparison::{Comparison, compare_with};
use crate::extract::{Json, LastParam, QueryParams};
use crate::http_error::Result;

/// A possible parent.
#[derive(Serialize, ToSchema)]
pub(crate) struct PossibleParent {
    /// The number of the parent; 0 for the root.
    parent: u32,
    /// The probability that it is the parent.
    certainty: f64,
}

/// A place where people put a concept, where they differ.
#[derive(Serialize, ToSchema)]
pub(crate) struct PeoplesPlace {
    /// The number of the parent there; 0 for the root.
    parent: u32,
    /// The expected share of people who hold this place.
    share: f64,
    /// The lower end of the interval that the share lies in with a chance of 90 %.
    low: f64,
    /// The upper end of that interval.
    high: f64,
}

impl From<Place<u32>> for PeoplesPlace {
    fn from(Place { parent, share, low, high }: Place<u32>) -> Self {
        Self { parent, share, low, high }
    }
}

/// A concept in the hierarchy.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlacedConcept {
    /// The number of the concept in the campaign.
    number: u32,
    /// The name of the concept.
    name: String,
    /// The number of its most probable parent; 0 for the root.
    parent: u32,
    /// The probability that a person of this crowd places it there; null before the first belief.
    certainty: Option<f64>,
    /// Other possible parents, the most probable first.
    alternatives: Vec<PossibleParent>,
    /// Why the place is as certain as it is: settled, or one or more of differ (people place it differently), open (the votes leave several
    /// places possible) and unasked (no vote tells the place from the likeliest other one). Empty before the first belief.
    reason: Vec<Reason>,
    /// Where people place it if they differ, the place that more of them hold first; empty otherwise.
    places: Vec<PeoplesPlace>,
    /// The number of votes that say the parent is above the concept.
    yes: u64,
    /// The number of votes that say it is not.
    no: u64,
}

/// A hierarchy with certainties.
#[derive(Serialize, ToSchema)]
#[schema(as = Hierarchy)]
pub(crate) struct HierarchyInfo {
    /// The position in the log up to which the belief had read.
    position: i64,
    /// The name of the root.
    root: String,
    /// All concepts, in the order of their numbers.
    concepts: Vec<PlacedConcept>,
}

/// A point in the history of a campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct At {
    /// A position in the log, to get the hierarchy as it was then. The present one by default.
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    at: Option<u32>,
}

/// Options of an export.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportOptions {
    /// The prefix of all identifiers in SKOS, OWL and SSSOM.
    base: Option<String>,
    /// A position in the log, to export the hierarchy as it was then. The present one by default.
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    at: Option<u32>,
}

/// A taxonomy to compare with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Taxonomy {
    /// A file name. Its extension gives the format: .csv, .tsv, .json, .ttl, .rdf, .paths, ...
    #[schema(example = "old.paths")]
    name: String,
    /// The content of the file.
    #[schema(example = "food > cheese > brie\n")]
    text: String,
}

fn position(at: u32) -> Position {
    Position(at.into())
}

impl From<View> for HierarchyInfo {
    fn from(view: View) -> Self {
        let number = |concept| number(&view.numbers, concept);
        let parent = |&(parent, certainty): &(_, f64)| PossibleParent { parent: number(parent), certainty };
        let concepts = view.hierarchy.concepts().map(|(concept, entry)| PlacedConcept {
            number: number(concept),
            name: entry.name.clone(),
            parent: number(entry.parent),
            certainty: entry.certainty,
            alternatives: entry.alternatives.iter().map(parent).collect(),
            reason: entry.reasons.clone(),
            places: entry.places.iter().map(|place| place.map(number).into()).collect(),
            yes: entry.yes,
            no: entry.no,
        });
        Self {
            position: view.position.0,
            root: view.hierarchy.heading().root.clone(),
            concepts: concepts.collect(),
        }
    }
}

/// Return the most probable hierarchy
#[utoipa::path(get, path = "/campaigns/{campaign}/hierarchy", tag = "hierarchy",
    params(("campaign" = Uuid, Path), At), responses((status = 200, body = HierarchyInfo)))]
pub(super) async fn read(
    campaign: CampaignAccess,
    QueryParams(at): QueryParams<At>,
) -> Result<Json<HierarchyInfo>> {
    Ok(Json(campaign.export(at.at.map(position)).await?.into()))
}

/// Export the hierarchy as a file
///
/// The format is one of skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json, node-link, sssom, svg
/// and html.
#[utoipa::path(get, path = "/campaigns/{campaign}/export/{format}", tag = "hierarchy",
    params(("campaign" = Uuid, Path), ("format" = String, Path), ExportOptions),
    responses((status = 200, content_type = "*/*", body = String)))]
pub(super) async fn export(
    campaign: CampaignAccess,
    LastParam(format): LastParam<Format>,
    QueryParams(export): QueryParams<ExportOptions>,
) -> Result<Response> {
    let view = campaign.export(export.at.map(position)).await?;
    let defaults = WriteOptions::default();
    let options = WriteOptions { base: export.base.unwrap_or(defaults.base.clone()), ..defaults };
    let text = write(&view.hierarchy, format, &options)?;
    let headers = [
        (header::CONTENT_TYPE, format!("{}; charset=utf-8", format.media_type())),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"hierarchy.{}\"", format.extension())),
    ];
    Ok((headers, text).into_response())
}

/// Compare the hierarchy with another taxonomy, by the names of concepts
#[utoipa::path(post, path = "/campaigns/{campaign}/compare", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    request_body = Taxonomy, responses((status = 200, body = Comparison)))]
pub(super) async fn compare(
    campaign: CampaignAccess,
    Json(other): Json<Taxonomy>,
) -> Result<Json<Comparison>> {
    let (snapshot, _) = campaign.snapshot()?;
    Ok(Json(compare_with(snapshot, other.name, other.text.into_bytes()).await?))
}
