use axum::Json;
use grove_formats::{Source, name_key, read_hierarchy};
use grove_tree::Concept;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

use crate::auth::Owned;
use crate::campaigns::{View, view};
use crate::fault::Fault;
use crate::read::Body;

/// An old taxonomy.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Taxonomy {
    /// A file's name, whose ending says how it is read: .csv, .tsv, .json, .ttl, .rdf, .paths, ...
    #[schema(example = "old.paths")]
    name: String,
    /// The file's text.
    #[schema(example = "food > cheese > brie\n")]
    text: String,
}

/// A concept that stands elsewhere in the old taxonomy.
#[derive(Serialize, ToSchema)]
pub(crate) struct Difference {
    /// What it is called.
    pub(crate) name: String,
    /// The concept above it here.
    pub(crate) here: String,
    /// How probable that is.
    pub(crate) certainty: Option<f64>,
    /// The concept above it there.
    pub(crate) there: String,
    /// How probable that is; none if that concept is not here.
    pub(crate) there_certainty: Option<f64>,
}

/// What the two have in common, and what not.
#[derive(Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// Concepts of the same name in both.
    pub(crate) shared: usize,
    /// Of those, how many have the same parent in both.
    pub(crate) same_parent: usize,
    /// The others, those first where the belief is surest that the old taxonomy errs.
    pub(crate) differences: Vec<Difference>,
    /// Concepts that are only here.
    pub(crate) only_here: Vec<String>,
    /// Concepts that are only there.
    pub(crate) only_there: Vec<String>,
}

/// Compares the hierarchy with an old taxonomy, by names.
#[utoipa::path(post, path = "/campaigns/{campaign}/compare", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    request_body = Taxonomy, responses((status = 200, body = Comparison)))]
pub(super) async fn compare_route(
    owned: Owned,
    Body(old): Body<Taxonomy>,
) -> Result<Json<Comparison>, Fault> {
    Ok(Json(compare(&view(&owned.campaign), old.name, old.text.as_bytes())?))
}

/// Reads a taxonomy and compares it with the hierarchy. The two roots count as one, whatever they are called.
pub(crate) fn compare(view: &View, name: String, bytes: &[u8]) -> Result<Comparison, Fault> {
    let (here, there) = (&view.hierarchy, read_hierarchy(&Source::new(name, bytes)?)?);
    let places: HashMap<String, Concept> =
        here.concepts().map(|(concept, entry)| (name_key(&entry.name), concept)).collect();
    let same = |parent: Concept| -> Option<Concept> {
        if parent.is_root() {
            Some(Concept::ROOT)
        } else {
            places.get(&name_key(there.name(parent))).copied()
        }
    };
    let mut result = Comparison {
        shared: 0,
        same_parent: 0,
        differences: Vec::new(),
        only_here: Vec::new(),
        only_there: Vec::new(),
    };
    let mut met = vec![false; here.len()];
    for (_, old) in there.concepts() {
        let Some(&concept) = places.get(&name_key(&old.name)) else {
            result.only_there.push(old.name.clone());
            continue;
        };
        let Some(entry) = here.entry(concept) else { continue };
        met[concept.index() - 1] = true;
        result.shared += 1;
        let parent = same(old.parent);
        if parent == Some(entry.parent) {
            result.same_parent += 1;
            continue;
        }
        let chance = |parent| {
            entry.alternatives.iter().find(|listed| listed.0 == parent).map_or(0.0, |listed| listed.1)
        };
        result.differences.push(Difference {
            name: entry.name.clone(),
            here: here.name(entry.parent).to_owned(),
            certainty: entry.certainty,
            there: there.name(old.parent).to_owned(),
            there_certainty: parent.map(chance),
        });
    }
    let only_here = here.entries().iter().zip(met).filter(|(_, met)| !met);
    result.only_here = only_here.map(|(entry, _)| entry.name.clone()).collect();
    result.differences.sort_by(|a, b| {
        let gap = |one: &Difference| one.certainty.unwrap_or(0.0) - one.there_certainty.unwrap_or(0.0);
        gap(b).total_cmp(&gap(a)).then_with(|| a.name.cmp(&b.name))
    });
    Ok(result)
}
