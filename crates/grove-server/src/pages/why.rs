use grove_campaign::Reason;
use uuid::Uuid;

use super::overview::DOUBTFUL_BELOW;
use super::shell::chance;
use super::tree::Place;
use crate::api::number;
use crate::auth::Owned;
use crate::campaigns::{View, why};
use crate::fault::Fault;
use grove_store::Answer;

/// A parent that a concept may have.
pub(super) struct Parent {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) chance: String,
    pub(super) doubtful: bool,
    /// Whether the votes shown are those behind this one.
    pub(super) asked: bool,
    /// Made here, so that sending a form twice makes one correction.
    pub(super) id: Uuid,
}

pub(super) struct Voice {
    pub(super) answer: &'static str,
    pub(super) spoken: &'static str,
    pub(super) question: String,
    pub(super) worker: String,
    pub(super) influence: f64,
}

pub(super) struct WhyPanel {
    pub(super) parent: String,
    pub(super) direct: Vec<Voice>,
    pub(super) indirect: Vec<Voice>,
}

/// What stands beside the drawing while a concept is looked at.
pub(super) struct ConceptPanel {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) definition: String,
    pub(super) synonyms: String,
    pub(super) back: String,
    pub(super) parents: Vec<Parent>,
    pub(super) why: Option<WhyPanel>,
    pub(super) move_id: Uuid,
    /// All names, to choose from.
    pub(super) names: Vec<String>,
}

impl ConceptPanel {
    /// None if the concept is not there.
    pub(super) async fn new(
        owned: &Owned,
        view: &View,
        place: &Place,
        wanted: u32,
        parent: Option<u32>,
    ) -> Result<Option<Self>, Fault> {
        let found = view.hierarchy.concepts().find(|(concept, _)| number(&view.numbers, *concept) == wanted);
        let Some((_, entry)) = found else { return Ok(None) };
        let present = number(&view.numbers, entry.parent);
        let asked = parent.unwrap_or(present);
        let row = |concept, probability: f64| {
            let number = number(&view.numbers, concept);
            let base = place.selecting(Some(wanted));
            Parent {
                number,
                name: view.hierarchy.name(concept).to_owned(),
                href: format!("{base}&parent={number}"),
                chance: chance(Some(probability)),
                doubtful: probability < DOUBTFUL_BELOW,
                asked: number == asked,
                id: Uuid::now_v7(),
            }
        };
        let mut parents = vec![row(entry.parent, entry.certainty.unwrap_or(0.0))];
        parents.extend(entry.alternatives.iter().take(6).map(|&(concept, chance)| row(concept, chance)));
        // Only the present belief can be asked for its reasons.
        let why = match place.at {
            None => Some(voices(owned, wanted, asked).await?),
            Some(_) => None,
        };
        let root = view.hierarchy.heading().root.clone();
        let names = view.hierarchy.entries().iter().map(|other| other.name.clone());
        Ok(Some(Self {
            number: wanted,
            name: entry.name.clone(),
            definition: entry.definition.clone().unwrap_or_default(),
            synonyms: entry.synonyms.join(", "),
            back: place.selecting(None),
            parents,
            why,
            move_id: Uuid::now_v7(),
            names: std::iter::once(root).chain(names).collect(),
        }))
    }
}

async fn voices(owned: &Owned, child: u32, parent: u32) -> Result<WhyPanel, Fault> {
    let why = match why(&owned.campaign, child, Some(parent)).await {
        Ok(why) => why,
        // The belief may not know a concept yet that was added just now.
        Err(Fault::NotFound) => {
            return Ok(WhyPanel { parent: String::new(), direct: Vec::new(), indirect: Vec::new() });
        }
        Err(fault) => return Err(fault),
    };
    let voice = |reason: Reason| {
        let vote = reason.vote.vote;
        let question = owned.campaign.look(|state| state.ask(vote.question).map(|asked| asked.text));
        let (answer, spoken) = match vote.answer {
            Answer::Yes => ("yes", "yes"),
            Answer::No => ("no", "no"),
            Answer::CantSay => ("cant", "can't say"),
        };
        Voice {
            answer,
            spoken,
            question: question.unwrap_or_default(),
            worker: vote.worker.as_str().to_owned(),
            influence: reason.influence,
        }
    };
    Ok(WhyPanel {
        parent: owned.campaign.look(|state| state.name_of(parent).to_owned()),
        direct: why.direct.into_iter().map(voice).collect(),
        indirect: why.indirect.into_iter().map(voice).collect(),
    })
}
