//! One concept: where it may belong, why, and the edits that change it.

use std::collections::HashMap;

use grove_belief::{DOUBTFUL_BELOW, Place, PseudoWorker, Reason};
use grove_campaign::operations::{Access, View};
use grove_campaign::{Hint, State, Why, number};
use grove_formats::Entry;
use grove_store::{Reply, Response, Screen};
use grove_tree::Concept;

use super::item::{Marks, reason_class, reasons};
use super::url::PageUrl;
use super::visible::find;
use crate::http_error::{HttpError, Result};
use crate::pages::campaign::Reader;
use crate::pages::layout::probability;

/// Indirect reasons, and reasons that are nobody's vote, that are listed.
const INDIRECT: usize = 5;
/// Other possible parents that are listed.
const PARENTS: usize = 6;

/// An edit that was refused: which, what was typed, and why.
#[derive(Clone)]
pub(super) struct Refused {
    pub(super) form: &'static str,
    pub(super) text: String,
    pub(super) why: String,
}

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
    /// Whether it is the parent in the hierarchy.
    pub(super) is_parent: bool,
}

/// A place where people put the concept, with their share and its interval in per cent.
pub(super) struct PlaceRow {
    pub(super) name: String,
    pub(super) share: String,
    pub(super) low: String,
    pub(super) high: String,
}

/// The votes on one question, and what they weigh together; or what is nobody's vote.
pub(super) struct ReasonRow {
    /// The question, or what is said.
    pub(super) text: String,
    /// As in "4 yes, 2 no", or who says it.
    pub(super) said: String,
    pub(super) supports: bool,
    /// The bar from the middle: where it begins and how wide it is, of 50 to either side.
    pub(super) bar: (f64, f64),
}

/// What speaks for and against a parent.
#[derive(Default)]
pub(super) struct Explanation {
    pub(super) parent: String,
    pub(super) direct: Vec<ReasonRow>,
    pub(super) indirect: Vec<ReasonRow>,
    /// What names say, and the hierarchy that the concepts came with.
    pub(super) hints: Vec<ReasonRow>,
}

/// The sidebar while a concept is selected.
pub(super) struct ConceptPanel {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) definition: String,
    pub(super) synonyms: String,
    /// What stands before the name in questions; empty if the rules of the language decide.
    pub(super) article: String,
    /// The names from the root down to the parent.
    pub(super) way: Vec<(String, String)>,
    pub(super) back: String,
    pub(super) pinned: bool,
    pub(super) pending: bool,
    /// Why its place is not settled, as a class and in words.
    pub(super) reasons: Vec<(&'static str, &'static str)>,
    /// The same in sentences.
    pub(super) explanation: String,
    /// Where people place it if they differ.
    pub(super) places: Vec<PlaceRow>,
    pub(super) parents: Vec<ParentRow>,
    pub(super) why: Option<Explanation>,
    refused: Option<Refused>,
}

impl ConceptPanel {
    /// Returns `None` if there is no such concept.
    pub(super) async fn new(
        reader: &Reader<'_>,
        view: &View,
        url: &PageUrl,
        marks: &Marks,
        wanted: u32,
        refused: Option<Refused>,
    ) -> Result<Option<Self>> {
        let number = |concept| number(&view.numbers, concept);
        let Some(concept) = find(view, wanted) else { return Ok(None) };
        let Some(entry) = view.hierarchy.entry(concept) else { return Ok(None) };
        let explained = url.parent.unwrap_or(number(entry.parent));
        let row = |&(concept, chance): &(_, f64)| ParentRow {
            number: number(concept),
            name: view.hierarchy.name(concept).to_owned(),
            href: url.explaining(wanted, number(concept)),
            probability: probability(Some(chance)),
            class: reason_class(reason_of(entry, concept, chance)),
            explained: number(concept) == explained,
            is_parent: concept == entry.parent,
        };
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let place = |place: &Place| PlaceRow {
            name: view.hierarchy.name(place.parent).to_owned(),
            share: percent(place.share),
            low: percent(place.low),
            high: percent(place.high),
        };
        let likeliest = (entry.parent, entry.certainty.unwrap_or(0.0));
        let others = entry.alternatives.iter().filter(|other| other.0 != entry.parent).take(PARENTS);
        Ok(Some(Self {
            number: wanted,
            name: entry.name.clone(),
            definition: entry.definition.clone().unwrap_or_default(),
            synonyms: entry.synonyms.join(", "),
            article: entry.article.to_string(),
            way: way(view, url, entry.parent),
            back: url.selecting(None),
            pinned: marks.pinned.contains(&wanted),
            pending: marks.pending.contains(&wanted),
            reasons: reasons(entry),
            explanation: view.hierarchy.explanation(concept),
            places: entry.places.iter().map(place).collect(),
            parents: std::iter::once(&likeliest).chain(others).map(row).collect(),
            // Only the present belief can be explained.
            why: match url.at {
                None => Some(Explanation::new(reader.access, wanted, explained).await?),
                Some(_) => None,
            },
            refused,
        }))
    }

    /// What was typed into a form that was refused.
    pub(super) fn typed(&self, form: &str) -> &str {
        self.refusal(form).map_or("", |refused| &refused.text)
    }

    /// Why a form was refused.
    pub(super) fn refusal(&self, form: &str) -> Option<&Refused> {
        self.refused.as_ref().filter(|refused| refused.form == form)
    }
}

/// The concepts from the root down to one, with their links.
fn way(view: &View, url: &PageUrl, from: Concept) -> Vec<(String, String)> {
    let parent = |below: &Concept| view.hierarchy.entry(*below).map(|entry| entry.parent);
    let mut way: Vec<_> = std::iter::successors(Some(from), parent)
        .map(|above| {
            let number = number(&view.numbers, above);
            (view.hierarchy.name(above).to_owned(), url.selecting(Some(number).filter(|number| *number != 0)))
        })
        .collect();
    way.reverse();
    way
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

/// The votes on one question while they are counted.
struct Tally {
    screen: Screen,
    /// What was said, and how often.
    answers: Vec<(Reply, usize)>,
    influence: f64,
}

impl Explanation {
    async fn new(campaign: &Access, child: u32, parent: u32) -> Result<Self> {
        let why = match campaign.why(child, Some(parent)).await.map_err(HttpError::from) {
            Ok(why) => why,
            // The belief may not have read yet that the concept was added.
            Err(HttpError::NotFound) => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let Why { direct, indirect, mut hints, .. } = why;
        let (direct, mut indirect) = (tallies(direct), tallies(indirect));
        indirect.truncate(INDIRECT);
        hints.truncate(INDIRECT);
        let voted = direct.iter().chain(&indirect).map(|tally| tally.influence);
        let influences = voted.chain(hints.iter().map(|hint| hint.influence));
        let largest = influences.map(f64::abs).fold(1e-9, f64::max);
        let state = campaign.state()?;
        let row = |text: String, said: String, influence: f64| ReasonRow {
            text,
            said,
            supports: influence >= 0.0,
            bar: bar(influence / largest),
        };
        let voted = |tally: Tally| {
            let question = state.ask(tally.screen).map(|asked| asked.text).unwrap_or_default();
            let counts = counts(&tally.answers, |number| state.name_of(number).to_owned());
            row(question, counts, tally.influence)
        };
        let hinted = |hint: Hint| {
            let (text, source) = hint_in_words(&state, &hint);
            row(text, source.to_owned(), hint.influence)
        };
        Ok(Self {
            parent: state.name_of(parent).to_owned(),
            direct: direct.into_iter().map(voted).collect(),
            indirect: indirect.into_iter().map(voted).collect(),
            hints: hints.into_iter().map(hinted).collect(),
        })
    }
}

/// What a hint says, and where it is from.
fn hint_in_words(state: &State, hint: &Hint) -> (String, &'static str) {
    let (upper, lower) = (state.name_of(hint.upper), state.name_of(hint.lower));
    match hint.source {
        PseudoWorker::Names => (format!("“{upper}” is the head of “{lower}”"), "the names"),
        PseudoWorker::Hierarchy => (format!("“{lower}” under “{upper}”"), "the hierarchy at the start"),
    }
}

/// The votes on each question together, the weightiest first.
fn tallies(reasons: Vec<grove_campaign::Reason>) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for reason in reasons {
        let Response { screen, reply, .. } = reason.vote.response;
        let at = *places.entry(format!("{screen:?}")).or_insert(tallies.len());
        if at == tallies.len() {
            tallies.push(Tally { screen, answers: Vec::new(), influence: 0.0 });
        }
        let tally = &mut tallies[at];
        tally.influence += reason.influence;
        match tally.answers.iter_mut().find(|(said, _)| *said == reply) {
            Some((_, count)) => *count += 1,
            None => tally.answers.push((reply, 1)),
        }
    }
    tallies.sort_by(|a, b| b.influence.abs().total_cmp(&a.influence.abs()));
    tallies
}

/// The answers in words: "4 yes, 2 no".
fn counts(answers: &[(Reply, usize)], name: impl Fn(u32) -> String) -> String {
    let rank = |reply: &Reply| match reply {
        Reply::Yes => 0,
        Reply::No => 1,
        Reply::CantSay => 3,
        _ => 2,
    };
    let mut answers: Vec<_> = answers.iter().collect();
    answers.sort_by_key(|(reply, count)| (rank(reply), std::cmp::Reverse(*count)));
    let words = |(reply, count): &(Reply, usize)| match reply {
        Reply::CantSay => format!("{count} not sure"),
        said => format!("{count} {}", said.clone().map(&name)),
    };
    answers.into_iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The left end and the width of a bar that goes from the middle to the right, or to the left if it is negative.
fn bar(share: f64) -> (f64, f64) {
    let width = (50.0 * share.abs()).clamp(1.0, 50.0).round();
    (if share < 0.0 { -width } else { 0.0 }, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_in_words_and_bars_have_a_sign() {
        let name = |number: u32| format!("c{number}");
        assert_eq!(counts(&[(Reply::No, 2), (Reply::Yes, 4)], name), "4 yes, 2 no");
        assert_eq!(counts(&[(Reply::CantSay, 1)], name), "1 not sure");
        assert_eq!((bar(1.0), bar(-0.5), bar(0.0)), ((0.0, 50.0), (-25.0, 25.0), (0.0, 1.0)));
    }
}
