use grove_belief::{DOUBTFUL_BELOW, Verdict};
use grove_campaign::operations::{Access, View};
use grove_campaign::{CorrectionState, Snapshot, number};
use grove_store::Position;
use grove_vocabulary::Correction;
use uuid::Uuid;

use super::layout::{money, probability};
use super::tree::TreeUrl;
use crate::convert::cents;
use crate::http_error::Result;
use crate::time::readable;

/// Uncertain concepts listed at first, and in all.
const LISTED_FIRST: usize = 6;
const LISTED: usize = 60;

pub(super) struct UncertainConcept {
    pub(super) href: String,
    pub(super) name: String,
    pub(super) certainty: String,
    pub(super) parent: String,
    /// The most probable other parent and its probability.
    pub(super) alternative: Option<(String, String)>,
}

pub(super) struct Duplicate {
    pub(super) href: String,
    pub(super) first: String,
    pub(super) second: String,
}

pub(super) struct CorrectionRow {
    pub(super) id: Uuid,
    pub(super) text: String,
    pub(super) author: Option<String>,
    pub(super) at: String,
}

/// The key figures of a campaign.
pub(super) struct KeyFigures {
    pub(super) votes: u64,
    pub(super) correct: String,
    pub(super) concepts: usize,
    pub(super) spent: String,
    pub(super) forecast: String,
    pub(super) forecast_cost: Option<String>,
    /// The certainty at which the forecast ends.
    pub(super) target: String,
    pub(super) lag: usize,
}

impl KeyFigures {
    pub(super) fn new(campaign: &Access) -> Result<Self> {
        let (snapshot, lag) = campaign.snapshot()?;
        let forecast = snapshot.forecast.and_then(|forecast| forecast.questions);
        let forecast_cost = snapshot.forecast_cost.map(cents).filter(|cents| *cents > 0.0);
        let target = campaign.state()?.settings().target.map(|target| target.certainty);
        Ok(Self {
            votes: snapshot.spent.questions,
            correct: snapshot.measures.map_or("–".to_owned(), |one| format!("{:.1}", one.expected_right)),
            concepts: snapshot.hierarchy.len(),
            spent: money(cents(snapshot.spent.money)),
            forecast: forecast.map_or("–".to_owned(), |votes| format!("{:.0}", votes.ceil())),
            forecast_cost: forecast_cost.map(money),
            target: probability(Some(target.unwrap_or(DOUBTFUL_BELOW))),
            lag,
        })
    }

    /// The figures at an earlier time; forecasts are not stored.
    fn past(campaign: &Access, view: &View) -> Result<Self> {
        let certain: f64 = view.hierarchy.entries().iter().filter_map(|entry| entry.certainty).sum();
        let price = campaign.state()?.settings().price();
        Ok(Self {
            votes: view.votes,
            correct: format!("{certain:.1}"),
            concepts: view.hierarchy.len(),
            spent: money(cents(price.times(view.votes).unwrap_or_default())),
            forecast: "–".to_owned(),
            forecast_cost: None,
            lag: 0,
            ..Self::new(campaign)?
        })
    }
}

/// The sidebar while no concept is selected.
pub(super) struct Overview {
    pub(super) figures: KeyFigures,
    /// A caveat about the certainties.
    pub(super) caveat: Option<&'static str>,
    pub(super) uncertain: Vec<UncertainConcept>,
    pub(super) more_uncertain: Vec<UncertainConcept>,
    pub(super) duplicates: Vec<Duplicate>,
    /// The newest first.
    pub(super) corrections: Vec<CorrectionRow>,
}

impl Overview {
    pub(super) async fn new(campaign: &Access, view: &View, url: &TreeUrl) -> Result<Self> {
        let corrections = campaign.corrections().await?;
        let (snapshot, _) = campaign.snapshot()?;
        let report = &snapshot.report;
        // The state is locked for as long as it is read, and the figures below read it again.
        let corrections: Vec<_> = campaign.state().map(|state| {
            let row = |(correction, author): (CorrectionState, Option<String>)| CorrectionRow {
                id: correction.id.0,
                text: sentence(correction.correction.map(|concept| state.name_of(concept))),
                author,
                at: readable(correction.at),
            };
            corrections.into_iter().rev().map(row).collect()
        })?;
        let duplicates = report.iter().flat_map(|named| {
            named.report.synonyms.iter().take(5).map(|pair| Duplicate {
                href: url.selecting(Some(number(&named.numbers, pair.concepts[0]))),
                first: named.hierarchy.name(pair.concepts[0]).to_owned(),
                second: named.hierarchy.name(pair.concepts[1]).to_owned(),
            })
        });
        let mut uncertain = uncertain(view, url);
        let more_uncertain = uncertain.split_off(uncertain.len().min(LISTED_FIRST));
        Ok(Self {
            figures: match url.at {
                None => KeyFigures::new(campaign)?,
                Some(_) => KeyFigures::past(campaign, view)?,
            },
            caveat: caveat(&snapshot),
            uncertain,
            more_uncertain,
            duplicates: duplicates.collect(),
            corrections,
        })
    }
}

/// What readers should know about the certainties.
fn caveat(snapshot: &Snapshot) -> Option<&'static str> {
    match snapshot.report.as_ref().map(|named| named.report.health.verdict) {
        _ if snapshot.rebuilding && snapshot.position == Position::START => {
            Some("The hierarchy is being computed for the first time since the server started.")
        }
        _ if snapshot.earlier_version => {
            Some("These results are from an earlier version and are being updated.")
        }
        Some(Verdict::NotConverged) => Some("The certainties are still settling and not final yet."),
        Some(Verdict::Unchecked) => {
            Some("There are too many concepts to check how reliable the certainties are.")
        }
        Some(Verdict::Approximate) => Some("The certainties of this engine are approximate."),
        Some(Verdict::Converged) | None => None,
    }
}

/// The concepts with an uncertain parent, the least certain first.
fn uncertain(view: &View, url: &TreeUrl) -> Vec<UncertainConcept> {
    let known =
        view.hierarchy.concepts().filter_map(|(concept, entry)| Some((concept, entry, entry.certainty?)));
    let mut listed: Vec<_> = known.filter(|(_, _, certainty)| *certainty < DOUBTFUL_BELOW).collect();
    listed.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
    let row = |(concept, entry, certainty): (_, &grove_formats::Entry, f64)| UncertainConcept {
        href: url.selecting(Some(number(&view.numbers, concept))),
        name: entry.name.clone(),
        certainty: probability(Some(certainty)),
        parent: view.hierarchy.name(entry.parent).to_owned(),
        alternative: entry
            .alternatives
            .first()
            .map(|&(parent, other)| (view.hierarchy.name(parent).to_owned(), probability(Some(other)))),
    };
    listed.into_iter().take(LISTED).map(row).collect()
}

/// A correction in words.
fn sentence(correction: Correction<&str>) -> String {
    match correction {
        Correction::DirectlyUnder { lower, upper } => format!("{lower} is directly under {upper}"),
        Correction::SomewhereUnder { lower, upper } => format!("{lower} is somewhere under {upper}"),
        Correction::NotUnder { lower, upper } => format!("{lower} is not under {upper}"),
        Correction::TopLevel { concept } => format!("{concept} is at the top level"),
    }
}
