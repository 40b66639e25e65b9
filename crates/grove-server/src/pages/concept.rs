use grove_belief::DOUBTFUL_BELOW;
use grove_campaign::operations::{Access, View};
use grove_campaign::{Reason, number};
use grove_store::Answer;
use uuid::Uuid;

use super::layout::probability;
use super::tree::TreeUrl;
use crate::http_error::{HttpError, Result};

/// A possible parent of the concept.
pub(super) struct ParentRow {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) probability: String,
    pub(super) uncertain: bool,
    /// Whether the votes shown are about this parent.
    pub(super) explained: bool,
    /// The id of a correction, made here so that sending a form twice makes one correction.
    pub(super) id: Uuid,
}

pub(super) struct VoteRow {
    pub(super) answer: &'static str,
    pub(super) text: &'static str,
    pub(super) question: String,
    pub(super) worker: String,
    pub(super) influence: f64,
}

/// The votes for and against a parent.
pub(super) struct Explanation {
    pub(super) parent: String,
    pub(super) direct: Vec<VoteRow>,
    pub(super) indirect: Vec<VoteRow>,
}

/// The sidebar while a concept is selected.
pub(super) struct ConceptPanel {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) definition: String,
    pub(super) synonyms: String,
    pub(super) back: String,
    pub(super) parents: Vec<ParentRow>,
    pub(super) why: Option<Explanation>,
    pub(super) move_id: Uuid,
    /// The names of all concepts, to choose from.
    pub(super) names: Vec<String>,
}

impl ConceptPanel {
    /// Returns `None` if there is no such concept.
    pub(super) async fn new(
        campaign: &Access,
        view: &View,
        url: &TreeUrl,
        wanted: u32,
        parent: Option<u32>,
    ) -> Result<Option<Self>> {
        let number = |concept| number(&view.numbers, concept);
        let found = view.hierarchy.concepts().find(|(concept, _)| number(*concept) == wanted);
        let Some((_, entry)) = found else { return Ok(None) };
        let explained = parent.unwrap_or(number(entry.parent));
        let row = |&(concept, chance): &(_, f64)| ParentRow {
            number: number(concept),
            name: view.hierarchy.name(concept).to_owned(),
            href: format!("{}&parent={}", url.selecting(Some(wanted)), number(concept)),
            probability: probability(Some(chance)),
            uncertain: chance < DOUBTFUL_BELOW,
            explained: number(concept) == explained,
            id: Uuid::now_v7(),
        };
        let likeliest = (entry.parent, entry.certainty.unwrap_or(0.0));
        let names = view.hierarchy.entries().iter().map(|other| other.name.clone());
        Ok(Some(Self {
            number: wanted,
            name: entry.name.clone(),
            definition: entry.definition.clone().unwrap_or_default(),
            synonyms: entry.synonyms.join(", "),
            back: url.selecting(None),
            parents: std::iter::once(&likeliest).chain(entry.alternatives.iter().take(6)).map(row).collect(),
            // Only the present belief can be explained.
            why: match url.at {
                None => Some(Explanation::new(campaign, wanted, explained).await?),
                Some(_) => None,
            },
            move_id: Uuid::now_v7(),
            names: std::iter::once(view.hierarchy.heading().root.clone()).chain(names).collect(),
        }))
    }
}

impl Explanation {
    async fn new(campaign: &Access, child: u32, parent: u32) -> Result<Self> {
        let why = match campaign.why(child, Some(parent)).await.map_err(HttpError::from) {
            Ok(why) => why,
            // The belief may not have read yet that the concept was added.
            Err(HttpError::NotFound) => {
                return Ok(Self { parent: String::new(), direct: Vec::new(), indirect: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        let state = campaign.state()?;
        let row = |reason: Reason| {
            let vote = reason.vote.vote;
            let question = state.ask(vote.question).map(|asked| asked.text);
            VoteRow {
                answer: vote.answer.as_str(),
                text: match vote.answer {
                    Answer::Yes => "yes",
                    Answer::No => "no",
                    Answer::CantSay => "not sure",
                },
                question: question.unwrap_or_default(),
                worker: vote.worker.as_str().to_owned(),
                influence: reason.influence,
            }
        };
        Ok(Self {
            parent: state.name_of(parent).to_owned(),
            direct: why.direct.into_iter().map(row).collect(),
            indirect: why.indirect.into_iter().map(row).collect(),
        })
    }
}
