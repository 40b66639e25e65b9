use std::collections::HashMap;
use std::sync::Arc;

use grove_campaign::Snapshot;
use grove_formats::{Hierarchy, Source, name_key, read_hierarchy};
use grove_tree::Concept;
use serde::Serialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use crate::http_error::{HttpError, Result};

/// A concept that has another parent in the other taxonomy.
#[derive(Serialize, ToSchema)]
pub(crate) struct Difference {
    /// The name of the concept.
    pub(crate) name: String,
    /// The name of its parent in the campaign.
    pub(crate) here: String,
    /// The probability of that parent.
    pub(crate) certainty: Option<f64>,
    /// The name of its parent in the other taxonomy.
    pub(crate) there: String,
    /// The probability of that parent; null if the campaign does not have that concept.
    pub(crate) there_certainty: Option<f64>,
}

/// A comparison of the hierarchy with another taxonomy. Concepts are matched by name.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// The number of concepts in both.
    pub(crate) shared: usize,
    /// The number of shared concepts with the same parent in both.
    pub(crate) same_parent: usize,
    /// The shared concepts with another parent, those first that the belief is most certain about.
    pub(crate) differences: Vec<Difference>,
    /// Names of concepts that only the campaign has.
    pub(crate) only_here: Vec<String>,
    /// Names of concepts that only the other taxonomy has.
    pub(crate) only_there: Vec<String>,
}

/// Files that are read at the same time. A large one takes a core for a moment, and memory.
static READING: Semaphore = Semaphore::const_new(2);

/// Reads a file on a thread of its own.
pub(crate) async fn reading<T: Send + 'static>(
    read: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let _turn = READING.acquire().await.map_err(|_| HttpError::Internal)?;
    tokio::task::spawn_blocking(read).await.map_err(|_| HttpError::Internal)?
}

/// Compares the hierarchy of a snapshot with a taxonomy in a file.
pub(crate) async fn compare_with(here: Arc<Snapshot>, file: String, bytes: Vec<u8>) -> Result<Comparison> {
    reading(move || compare(&here.hierarchy, file, &bytes)).await
}

/// Compares a hierarchy with a taxonomy in a file. The two roots are taken for the same concept, whatever their names.
fn compare(here: &Hierarchy, file: String, bytes: &[u8]) -> Result<Comparison> {
    let there = read_hierarchy(&Source::new(file, bytes)?)?;
    let by_name: HashMap<String, Concept> =
        here.concepts().map(|(concept, entry)| (name_key(&entry.name), concept)).collect();
    let find = |other: Concept| match other.is_root() {
        true => Some(Concept::ROOT),
        false => by_name.get(&name_key(there.name(other))).copied(),
    };
    let (mut result, mut matched) = (Comparison::default(), vec![false; here.len()]);
    for (_, other) in there.concepts() {
        let found = by_name.get(&name_key(&other.name)).copied();
        let Some((concept, entry)) = found.and_then(|concept| Some((concept, here.entry(concept)?))) else {
            result.only_there.push(other.name.clone());
            continue;
        };
        matched[concept.index() - 1] = true;
        result.shared += 1;
        let parent = find(other.parent);
        if parent == Some(entry.parent) {
            result.same_parent += 1;
            continue;
        }
        let probability = |parent| {
            entry.alternatives.iter().find(|listed| listed.0 == parent).map_or(0.0, |listed| listed.1)
        };
        result.differences.push(Difference {
            name: entry.name.clone(),
            here: here.name(entry.parent).to_owned(),
            certainty: entry.certainty,
            there: there.name(other.parent).to_owned(),
            there_certainty: parent.map(probability),
        });
    }
    let only_here = here.entries().iter().zip(matched).filter(|(_, matched)| !matched);
    result.only_here = only_here.map(|(entry, _)| entry.name.clone()).collect();
    result.differences.sort_by(|a, b| {
        let gap = |one: &Difference| one.certainty.unwrap_or(0.0) - one.there_certainty.unwrap_or(0.0);
        gap(b).total_cmp(&gap(a)).then_with(|| a.name.cmp(&b.name))
    });
    Ok(result)
}
