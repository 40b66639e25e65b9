//! `grove add`, `remove`, `merge` and `rename`.

use grove_campaign::{Campaign, Edit, NewConcept};
use grove_formats::read_concepts;
use grove_store::Actor;

use super::desk::{Desk, refused};
use crate::args::{Add, Merge, Remove, Rename};
use crate::failure::bad_input;
use crate::{files, terminal};

/// Adds concepts: all of them, or none.
pub(super) async fn add(options: &Add, desk: &Desk) -> anyhow::Result<()> {
    let concepts = new_concepts(options)?;
    let mut campaign = desk.open(&options.name).await?;
    let count = concepts.len();
    campaign.edit(Actor::Grove, Edit::Add(concepts)).await.map_err(refused)?;
    desk.remark(&format!("{count} added, {} now", concepts_of(&campaign)))
}

fn concepts_of(campaign: &Campaign) -> String {
    terminal::count(campaign.state().concepts().count(), "concept")
}

fn new_concepts(options: &Add) -> anyhow::Result<Vec<NewConcept>> {
    if let Some(path) = &options.concepts {
        let list = read_concepts(&files::read(path)?).map_err(bad_input)?;
        return Ok(list.concepts().iter().map(NewConcept::from).collect());
    }
    let described = options.definition.is_some() || !options.synonym.is_empty();
    match &options.concept[..] {
        [name] => Ok(vec![NewConcept {
            name: name.clone(),
            definition: options.definition.clone().unwrap_or_default(),
            synonyms: options.synonym.clone(),
        }]),
        _ if described => Err(bad_input(
            "--definition and --synonym are for one concept; add the concepts one by one, or from a file",
        )),
        names => Ok(names.iter().map(|name| NewConcept::named(name)).collect()),
    }
}

/// Removes concepts. All are looked up before the first goes.
pub(super) async fn remove(options: &Remove, desk: &Desk) -> anyhow::Result<()> {
    let mut campaign = desk.open(&options.name).await?;
    let mut numbers = Vec::new();
    for name in &options.concept {
        let number = concept(campaign.state(), name)?;
        if numbers.contains(&number) {
            return Err(bad_input(format!("{name:?} is named twice; name every concept once")));
        }
        numbers.push(number);
    }
    for concept in numbers {
        campaign.edit(Actor::Grove, Edit::Remove { concept }).await.map_err(refused)?;
    }
    desk.remark(&format!("{} removed, {} now", options.concept.len(), concepts_of(&campaign)))
}

/// Makes one concept of two.
pub(super) async fn merge(options: &Merge, desk: &Desk) -> anyhow::Result<()> {
    let mut campaign = desk.open(&options.name).await?;
    let (gone, kept) = (concept(campaign.state(), &options.gone)?, concept(campaign.state(), &options.into)?);
    if gone == kept {
        return Err(bad_input(format!(
            "{:?} and {:?} are one concept already; name two",
            options.gone, options.into
        )));
    }
    campaign.edit(Actor::Grove, Edit::Merge { gone, kept }).await.map_err(refused)?;
    desk.remark(&format!("{} is now part of {}", options.gone, options.into))
}

/// Gives a concept another name.
pub(super) async fn rename(options: &Rename, desk: &Desk) -> anyhow::Result<()> {
    let mut campaign = desk.open(&options.name).await?;
    let concept = concept(campaign.state(), &options.concept)?;
    campaign.edit(Actor::Grove, Edit::Rename { concept, name: options.to.clone() }).await.map_err(refused)?;
    desk.remark(&format!("{} is now called {}", options.concept, campaign.state().name_of(concept)))
}

/// The number of a concept that is not the root.
pub(super) fn concept(state: &grove_campaign::State, name: &str) -> anyhow::Result<u32> {
    match state.find(name).map_err(refused)? {
        0 => Err(bad_input(format!("{name:?} is the root; name a concept under it"))),
        number => Ok(number),
    }
}
