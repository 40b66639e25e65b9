//! The overview beside the hierarchy: key figures, what is least certain, possible duplicates, corrections.

use grove_belief::{DOUBTFUL_BELOW, Verdict};
use grove_campaign::operations::{Access, View};
use grove_campaign::{Snapshot, number};
use grove_formats::Entry;
use grove_store::Position;
use grove_vocabulary::Reason;
use uuid::Uuid;

use super::item::{reason_class, reasons, shown_reason};
use super::url::PageUrl;
use crate::convert::cents;
use crate::http_error::Result;
use crate::pages::audit::audit;
use crate::pages::layout::probability;
use crate::pages::money::Currency;
use crate::pages::words::correction_in_words;
use crate::time::Stamp;

/// Uncertain concepts listed at first, and in all.
const LISTED_FIRST: usize = 6;
const LISTED: usize = 30;
/// Corrections listed; the others are on the history page.
const CORRECTIONS: usize = 5;

pub(super) struct UncertainConcept {
    pub(super) href: String,
    pub(super) name: String,
    pub(super) certainty: String,
    /// The class of the certainty, with a space before it.
    pub(super) class: &'static str,
    /// Why it is uncertain, as a class and in words.
    pub(super) reasons: Vec<(&'static str, &'static str)>,
    pub(super) parent: String,
    /// The most probable other parent and its probability; where people differ, the other place that they hold.
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
    pub(super) at: Stamp,
}

/// The key figures of a campaign.
pub(in crate::pages) struct KeyFigures {
    pub(in crate::pages) votes: u64,
    pub(in crate::pages) correct: String,
    pub(in crate::pages) concepts: usize,
    pub(in crate::pages) spent: String,
    pub(in crate::pages) forecast: String,
    pub(in crate::pages) forecast_cost: Option<String>,
    /// The certainty at which the forecast ends.
    pub(in crate::pages) target: String,
    pub(in crate::pages) lag: usize,
}

impl KeyFigures {
    pub(in crate::pages) fn new(campaign: &Access) -> Result<Self> {
        let (snapshot, lag) = campaign.snapshot()?;
        let state = campaign.state()?;
        let currency = Currency::of(state.settings());
        let forecast = snapshot.forecast.and_then(|forecast| forecast.questions);
        let forecast_cost = snapshot.forecast_cost.map(cents).filter(|cents| *cents > 0.0);
        let target = state.settings().target.map(|target| target.certainty);
        let figures = Self {
            votes: snapshot.spent.questions,
            // Without votes it would be the chance of guesses.
            correct: (snapshot.measures.filter(|_| snapshot.spent.questions > 0))
                .map_or("–".to_owned(), |one| format!("{:.1}", one.expected_right)),
            concepts: snapshot.hierarchy.len(),
            spent: currency.amount(cents(snapshot.spent.money)),
            forecast: forecast.map_or("–".to_owned(), |votes| format!("{:.0}", votes.ceil())),
            forecast_cost: forecast_cost.map(|cents| currency.amount(cents)),
            target: probability(Some(target.unwrap_or(DOUBTFUL_BELOW))),
            lag,
        };
        Ok(figures)
    }

    /// The figures at an earlier time; forecasts are not stored.
    fn past(campaign: &Access, view: &View) -> Result<Self> {
        let certain: f64 = view.hierarchy.entries().iter().filter_map(|entry| entry.certainty).sum();
        let (price, currency) =
            campaign.state().map(|state| (state.settings().price(), Currency::of(state.settings())))?;
        Ok(Self {
            votes: view.votes,
            correct: if view.votes > 0 { format!("{certain:.1}") } else { "–".to_owned() },
            concepts: view.hierarchy.len(),
            spent: currency.amount(cents(price.times(view.votes).unwrap_or_default())),
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
    /// How doubtful the hierarchy is that the campaign starts from.
    pub(super) audit: Option<String>,
    /// A caveat about the certainties.
    pub(super) caveat: Option<&'static str>,
    pub(super) uncertain: Vec<UncertainConcept>,
    pub(super) more_uncertain: Vec<UncertainConcept>,
    /// How many concepts no vote has placed yet.
    pub(super) unasked: usize,
    pub(super) duplicates: Vec<Duplicate>,
    /// The newest first.
    pub(super) corrections: Vec<CorrectionRow>,
    /// How many more there are.
    pub(super) more_corrections: usize,
}

impl Overview {
    pub(super) fn new(campaign: &Access, view: &View, url: &PageUrl) -> Result<Self> {
        let (snapshot, _) = campaign.snapshot()?;
        let report = &snapshot.report;
        // The state is locked for as long as it is read, and the figures below read it again.
        let (corrections, count) = campaign.state().map(|state| {
            let standing = state.corrections();
            let rows = standing.iter().rev().take(CORRECTIONS).map(|one| CorrectionRow {
                id: one.id.0,
                text: correction_in_words(&state, &one.correction),
                at: Stamp(one.at),
            });
            (rows.collect::<Vec<_>>(), standing.len())
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
        let unasked = view.hierarchy.entries().iter().filter(|entry| shown_reason(entry) == Reason::Unasked);
        Ok(Self {
            figures: match url.at {
                None => KeyFigures::new(campaign)?,
                Some(_) => KeyFigures::past(campaign, view)?,
            },
            audit: audit(campaign)?,
            caveat: caveat(&snapshot),
            unasked: unasked.count(),
            uncertain,
            more_uncertain,
            duplicates: duplicates.collect(),
            more_corrections: count - corrections.len(),
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

/// The concepts that were asked about and whose parent is uncertain all the same, the least certain first. Those that votes would help come
/// before those on which people differ.
fn uncertain(view: &View, url: &PageUrl) -> Vec<UncertainConcept> {
    let known =
        view.hierarchy.concepts().filter_map(|(concept, entry)| Some((concept, entry, entry.certainty?)));
    let is_listed =
        |entry: &Entry, certainty| certainty < DOUBTFUL_BELOW && shown_reason(entry) != Reason::Unasked;
    let mut listed: Vec<_> = known.filter(|(_, entry, certainty)| is_listed(entry, *certainty)).collect();
    let is_merely_divided = |entry: &Entry| entry.reasons == [Reason::Differ];
    listed.sort_by(|a, b| {
        let apart = is_merely_divided(a.1).cmp(&is_merely_divided(b.1));
        apart.then(a.2.total_cmp(&b.2)).then(a.0.cmp(&b.0))
    });
    let row = |(concept, entry, certainty): (_, &Entry, f64)| UncertainConcept {
        href: url.selecting(Some(number(&view.numbers, concept))),
        name: entry.name.clone(),
        certainty: probability(Some(certainty)),
        parent: view.hierarchy.name(entry.parent).to_owned(),
        class: reason_class(shown_reason(entry)),
        reasons: reasons(entry),
        alternative: entry
            .other_places()
            .first()
            .or(entry.alternatives.first())
            .map(|&(parent, other)| (view.hierarchy.name(parent).to_owned(), probability(Some(other)))),
    };
    listed.into_iter().take(LISTED).map(row).collect()
}
