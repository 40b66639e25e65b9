use grove_belief::Verdict;
use grove_campaign::Live;
use grove_store::Correction;
use uuid::Uuid;

use super::shell::{chance, money};
use super::tree::Place;
use crate::api::{cents, number};
use crate::app::App;
use crate::auth::Owned;
use crate::campaigns::{View, corrections};
use crate::fault::Fault;
use crate::time::spoken;

/// A parent less certain than this is doubtful: the paper's red line.
pub(super) const DOUBTFUL_BELOW: f64 = 0.75;
/// As many doubtful concepts are listed at once, and in all.
const FIRST: usize = 6;
const LISTED: usize = 60;

pub(super) struct Doubtful {
    pub(super) href: String,
    pub(super) name: String,
    pub(super) certainty: String,
    pub(super) parent: String,
    pub(super) other: Option<(String, String)>,
}

pub(super) struct Pair {
    pub(super) href: String,
    pub(super) first: String,
    pub(super) second: String,
}

pub(super) struct LaidDown {
    pub(super) id: Uuid,
    pub(super) text: String,
    pub(super) author: Option<String>,
    pub(super) at: String,
}

/// How far a campaign has come, in four numbers.
pub(super) struct Figures {
    pub(super) votes: u64,
    pub(super) right: String,
    pub(super) concepts: usize,
    pub(super) spent: String,
    pub(super) forecast: String,
    pub(super) forecast_cost: Option<String>,
    /// The certainty to which the forecast leads.
    pub(super) target: String,
    pub(super) lag: usize,
}

impl Figures {
    pub(super) fn new(live: &Live) -> Self {
        let snapshot = live.snapshot();
        let forecast = snapshot.forecast.and_then(|forecast| forecast.questions);
        let forecast_cost = snapshot.forecast_cost.map(cents).filter(|cents| *cents > 0.0);
        let target = live.look(|state| state.settings().target.map(|target| target.certainty));
        Self {
            votes: snapshot.spent.questions,
            right: snapshot.measures.map_or("–".to_owned(), |one| format!("{:.1}", one.expected_right)),
            concepts: snapshot.hierarchy.len(),
            spent: money(cents(snapshot.spent.money)),
            forecast: forecast.map_or("–".to_owned(), |votes| format!("{:.0}", votes.ceil())),
            forecast_cost: forecast_cost.map(money),
            target: chance(Some(target.unwrap_or(DOUBTFUL_BELOW))),
            lag: live.lag(),
        }
    }
}

impl Figures {
    /// How far it had come at an earlier time, from which nobody can tell what was forecast.
    fn past(live: &Live, view: &View) -> Self {
        let certain: f64 = view.hierarchy.entries().iter().filter_map(|entry| entry.certainty).sum();
        let price = live.look(|state| state.settings().price());
        Self {
            votes: view.votes,
            right: format!("{certain:.1}"),
            concepts: view.hierarchy.len(),
            spent: money(cents(price.times(view.votes).unwrap_or_default())),
            forecast: "–".to_owned(),
            forecast_cost: None,
            lag: 0,
            ..Self::new(live)
        }
    }
}

/// What stands beside the drawing while no concept is looked at.
pub(super) struct Overview {
    pub(super) figures: Figures,
    pub(super) health: Option<&'static str>,
    /// The first few, and the others.
    pub(super) doubtful: Vec<Doubtful>,
    pub(super) more_doubtful: Vec<Doubtful>,
    pub(super) synonyms: Vec<Pair>,
    pub(super) corrections: Vec<LaidDown>,
}

impl Overview {
    pub(super) async fn new(app: &App, owned: &Owned, view: &View, place: &Place) -> Result<Self, Fault> {
        let snapshot = owned.campaign.snapshot();
        let report = snapshot.report.as_ref();
        let laid_down = corrections(app, &owned.campaign).await?;
        let say =
            |rule| owned.campaign.look(|state| sentence(rule, |concept| state.name_of(concept).to_owned()));
        let laid_down = laid_down.into_iter().rev().map(|(correction, author)| LaidDown {
            id: correction.id.0,
            text: say(correction.correction),
            author,
            at: spoken(correction.at),
        });
        let synonyms = report.map_or(&[][..], |named| &named.report.synonyms).iter().take(5).map(|pair| {
            let [first, second] = pair.concepts;
            let named = report.expect("pairs come from a report");
            Pair {
                href: place.selecting(Some(number(&named.numbers, first))),
                first: named.hierarchy.name(first).to_owned(),
                second: named.hierarchy.name(second).to_owned(),
            }
        });
        let mut listed = doubtful(view, place);
        let more_doubtful = listed.split_off(listed.len().min(FIRST));
        Ok(Self {
            figures: match place.at {
                None => Figures::new(&owned.campaign),
                Some(_) => Figures::past(&owned.campaign, view),
            },
            health: report.and_then(|named| trouble(named.report.health.verdict)),
            doubtful: listed,
            more_doubtful,
            synonyms: synonyms.collect(),
            corrections: laid_down.collect(),
        })
    }
}

/// What people should know about how far the numbers can be trusted.
fn trouble(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Converged => None,
        Verdict::NotConverged => Some("The certainties are still settling; they are not final yet."),
        Verdict::Unchecked => Some("There are too many concepts to check these certainties in time."),
        Verdict::Approximate => Some("This engine's certainties are approximate."),
    }
}

fn doubtful(view: &View, place: &Place) -> Vec<Doubtful> {
    let known =
        view.hierarchy.concepts().filter_map(|(concept, entry)| Some((concept, entry, entry.certainty?)));
    let mut listed: Vec<_> = known.filter(|(_, _, certainty)| *certainty < DOUBTFUL_BELOW).collect();
    listed.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
    let row = |(concept, entry, certainty): (_, &grove_formats::Entry, f64)| Doubtful {
        href: place.selecting(Some(number(&view.numbers, concept))),
        name: entry.name.clone(),
        certainty: chance(Some(certainty)),
        parent: view.hierarchy.name(entry.parent).to_owned(),
        other: entry
            .alternatives
            .first()
            .map(|&(parent, other)| (view.hierarchy.name(parent).to_owned(), chance(Some(other)))),
    };
    listed.into_iter().take(LISTED).map(row).collect()
}

/// A rule in words.
fn sentence(correction: Correction, name: impl Fn(u32) -> String) -> String {
    match correction {
        Correction::DirectlyUnder { lower, upper } => {
            format!("{} is directly under {}", name(lower), name(upper))
        }
        Correction::SomewhereUnder { lower, upper } => {
            format!("{} is somewhere under {}", name(lower), name(upper))
        }
        Correction::NotUnder { lower, upper } => format!("{} is not under {}", name(lower), name(upper)),
        Correction::TopLevel { concept } => format!("{} has no parent here", name(concept)),
    }
}
