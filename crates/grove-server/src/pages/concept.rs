use grove_belief::{DOUBTFUL_BELOW, Place, Reason};
use grove_campaign::number;
use grove_campaign::operations::{Access, View};
use grove_formats::Entry;
use grove_store::Answer;
use grove_tree::Concept;
use uuid::Uuid;

use super::layout::probability;
use super::tree::{TreeUrl, class, reasons};
use crate::http_error::{HttpError, Result};

/// A possible parent of the concept.
pub(super) struct ParentRow {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) probability: String,
    /// The class of its probability, with a space before it.
    pub(super) class: &'static str,
    /// Whether the votes shown are about this parent.
    pub(super) explained: bool,
    /// The id of a correction, made here so that sending a form twice makes one correction.
    pub(super) id: Uuid,
}

/// A place where people put the concept, with their share and its interval in per cent.
pub(super) struct PlaceRow {
    pub(super) name: String,
    pub(super) share: String,
    pub(super) low: String,
    pub(super) high: String,
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
    /// Why its place is not settled, as a class and in words.
    pub(super) reasons: Vec<(&'static str, &'static str)>,
    /// The same in sentences.
    pub(super) explanation: String,
    /// Where people place it if they differ.
    pub(super) places: Vec<PlaceRow>,
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
        let Some((concept, entry)) = found else { return Ok(None) };
        let explained = parent.unwrap_or(number(entry.parent));
        let row = |&(concept, chance): &(_, f64)| ParentRow {
            number: number(concept),
            name: view.hierarchy.name(concept).to_owned(),
            href: format!("{}&parent={}", url.selecting(Some(wanted)), number(concept)),
            probability: probability(Some(chance)),
            class: class(&reason_of(entry, concept, chance)),
            explained: number(concept) == explained,
            id: Uuid::now_v7(),
        };
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let place = |place: &Place| PlaceRow {
            name: view.hierarchy.name(place.parent).to_owned(),
            share: percent(place.share),
            low: percent(place.low),
            high: percent(place.high),
        };
        let likeliest = (entry.parent, entry.certainty.unwrap_or(0.0));
        let names = view.hierarchy.entries().iter().map(|other| other.name.clone());
        Ok(Some(Self {
            number: wanted,
            name: entry.name.clone(),
            definition: entry.definition.clone().unwrap_or_default(),
            synonyms: entry.synonyms.join(", "),
            back: url.selecting(None),
            reasons: reasons(entry),
            explanation: view.hierarchy.explanation(concept),
            places: entry.places.iter().map(place).collect(),
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

/// What the colour of a possible parent says: where people differ, their places stand out; otherwise what is below the threshold.
fn reason_of(entry: &Entry, parent: Concept, chance: f64) -> Reason {
    let is_place = entry.places.iter().any(|place| place.parent == parent);
    match entry.shown_reason(DOUBTFUL_BELOW) {
        Reason::Differ if is_place => Reason::Differ,
        Reason::Unasked => Reason::Unasked,
        _ if chance < DOUBTFUL_BELOW => Reason::Open,
        _ => Reason::Settled,
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
        let row = |reason: grove_campaign::Reason| {
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
