use axum::Json;
use axum::extract::State;
use grove_store::Position;
use grove_tree::Concept;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::auth::Owned;
use crate::campaigns::{View, view};
use crate::fault::Fault;
use crate::read::Asks;

/// A possible parent.
#[derive(Serialize, ToSchema)]
pub(crate) struct ParentBody {
    /// The concept above; 0 for the root.
    parent: u32,
    /// How probable it is.
    certainty: f64,
}

/// A concept in its place.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlacedConcept {
    /// Its number in the campaign.
    number: u32,
    /// What it is called.
    name: String,
    /// The concept above it; 0 for the root.
    parent: u32,
    /// How probable that parent is.
    certainty: Option<f64>,
    /// Other parents it may have, the likeliest first.
    alternatives: Vec<ParentBody>,
    /// Votes that say so.
    yes: u64,
    /// Votes against it.
    no: u64,
}

/// A hierarchy with certainties.
#[derive(Serialize, ToSchema)]
pub(crate) struct HierarchyBody {
    /// How far the log was read.
    position: i64,
    /// What stands above all concepts.
    root: String,
    /// The concepts, in the order in which they came.
    concepts: Vec<PlacedConcept>,
}

/// At which time.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    /// A position of the log, to see what was believed then; now if it is left out.
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    at: Option<u32>,
}

/// The number that the campaign gives a concept, from the numbers of all; 0 for the root.
pub(crate) fn number(numbers: &[u32], concept: Concept) -> u32 {
    concept.index().checked_sub(1).map_or(0, |at| numbers[at])
}

impl HierarchyBody {
    fn new(view: &View) -> Self {
        let concepts = view.hierarchy.concepts().map(|(concept, entry)| PlacedConcept {
            number: number(&view.numbers, concept),
            name: entry.name.clone(),
            parent: number(&view.numbers, entry.parent),
            certainty: entry.certainty,
            alternatives: entry
                .alternatives
                .iter()
                .map(|&(parent, certainty)| ParentBody { parent: number(&view.numbers, parent), certainty })
                .collect(),
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

/// The most probable hierarchy, now or as it was.
#[utoipa::path(get, path = "/campaigns/{campaign}/hierarchy", tag = "hierarchy",
    params(("campaign" = Uuid, Path), When), responses((status = 200, body = HierarchyBody)))]
pub(super) async fn hierarchy(
    State(app): State<App>,
    owned: Owned,
    Asks(when): Asks<When>,
) -> Result<Json<HierarchyBody>, Fault> {
    let view = match when.at {
        Some(at) => app.campaigns().view_at(owned.id, Position(at.into())).await?,
        None => view(&owned.campaign),
    };
    Ok(Json(HierarchyBody::new(&view)))
}
