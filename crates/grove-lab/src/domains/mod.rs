//! Body parts, kitchen utensils and food (section 4.4 of the paper), with simulated people who each have their own hierarchy.

mod campaign;
mod found;
mod record;

use grove_sim::Dataset;
use grove_tree::Concept;

use crate::prelude::*;
use campaign::{CERTAIN, Way};
use found::Found;

const NAME: &str = "domains";

/// The AUC to reach.
const WANTED: f64 = 0.97;

/// Who is asked.
const PEOPLE: [&str; 2] = ["open", "qualified"];

/// The price of a vote: 4 cents for five answers.
const DOLLARS: f64 = 0.04 / 5.0;

/// Runs per setting.
const RUNS: u64 = 3;

/// A set of concepts, how many of them come first (as in the paper), and how many votes open workers give: in bundles, and one by
/// one. Qualified ones give two thirds of them.
#[derive(Clone, Copy)]
struct Domain {
    set: Dataset,
    initial: usize,
    bundled: usize,
    single: usize,
}

/// The largest is last.
const DOMAINS: [Domain; 3] = [
    Domain { set: Dataset::BodyParts, initial: 10, bundled: 6_000, single: 2_160 },
    Domain { set: Dataset::Food, initial: 23, bundled: 4_200, single: 1_440 },
    Domain { set: Dataset::KitchenUtensils, initial: 15, bundled: 9_600, single: 3_600 },
];

impl Domain {
    fn votes(self, people: &str, way: Way, size: Size) -> usize {
        let open = if way.in_bundles() { self.bundled } else { self.single };
        size.pick(72, if people == "qualified" { open * 2 / 3 } else { open })
    }

    /// Fewer where a run takes minutes.
    fn runs(self, size: Size) -> u64 {
        size.pick(1, if self.set == Dataset::KitchenUtensils { 1 } else { RUNS })
    }
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let measures = &["joined", "reached", "auc", "curve", "found"];
    let mut study = Study::new(NAME, &["domain", "people", "way"], measures);
    for &domain in size.pick(&DOMAINS[1..2], &DOMAINS) {
        for &people in size.pick(&PEOPLE[1..], &PEOPLE) {
            for way in Way::ALL {
                let (votes, seeds) = (domain.votes(people, way, size), seed..seed + domain.runs(size));
                let work = move |seed| measure(domain, people, way, votes, seed);
                study.add(&[&domain.set.name(), &people, &way.name()], seeds, work);
            }
        }
    }
    vec![study]
}

fn measure(domain: Domain, people: &str, way: Way, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let outcome = campaign::run(domain.set, people, way, domain.initial, votes, seed)?;
    let after = outcome.curve.iter().copied().filter(|point| point.0 > outcome.joined as f64);
    let reached = Curve(after.collect()).reaches_for_good(WANTED);
    let auc = auc(&*outcome.belief, &outcome.order.truth(outcome.belief.evidence().count())?)?;
    let found = found::pack(&*outcome.belief, &outcome.order, &domain.set.tree());
    let curve = Curve(outcome.curve).to_string();
    Ok(vec![outcome.joined.to_string(), or_empty(reached), format!("{auc:.5}"), curve, found])
}

#[derive(Deserialize)]
struct Row {
    domain: String,
    people: String,
    way: String,
    joined: f64,
    reached: Option<f64>,
    auc: f64,
    curve: Curve,
    found: Found,
}

/// The results of one domain: its plots, planted shares beside certainties, and other doubtful concepts.
struct DomainResults {
    figures: Vec<Figure>,
    divided: String,
    doubtful: String,
    runs: usize,
}

#[derive(Template)]
#[template(path = "domains.md", escape = "none")]
struct Page<'a> {
    costs: String,
    verdicts: String,
    /// The kind of workers whose hierarchies and doubts are shown.
    shown: &'a str,
    domains: &'a [DomainResults],
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read::<Row>(NAME)?;
    let results = Results::new(&table.rows);
    let present = |set: Dataset| table.rows.iter().any(|row| row.domain == set.name());
    let sets = DOMAINS.iter().map(|domain| domain.set).filter(|&set| present(set));
    let domains = sets.map(|set| results.of_domain(set)).collect::<Result<Vec<_>, Error>>()?;
    let (costs, verdicts) = (results.costs(), results.verdicts());
    let page = Page { costs, verdicts, shown: results.shown, domains: &domains };
    let summary = results.worlds.iter().map(|&(domain, people)| {
        let votes = |way: Way| digits(Some(results.votes(domain, people, way).unwrap_or(f64::INFINITY)), 0);
        let [bundles, singles, live, at_once, singles_at_once] =
            [Way::Bundles, Way::Singles, Way::Live, Way::BundlesAtOnce, Way::AtOnce].map(votes);
        let what = format!("votes to AUC {WANTED}, {}, {people} workers", domain.replace('_', " "));
        let phases = format!("bundles of 8 {bundles}, single votes {singles}, single live votes {live}");
        let here =
            format!("with phases: {phases}; without: bundles {at_once}, single votes {singles_at_once}");
        summary_row(what, "not told; asks 8 votes per question", here)
    });
    let figures = domains.iter().flat_map(|domain| domain.figures.clone()).collect();
    Ok(Section::new(&page, figures, summary.collect(), &[table.origin]))
}

/// The rows of the table, with what they have in common.
struct Results<'a> {
    rows: &'a [Row],
    /// The domains, and the people who were asked about them.
    worlds: Vec<(&'a str, &'a str)>,
    people: Vec<&'a str>,
    /// Whose hierarchies are shown: those of open workers, if there are any.
    shown: &'a str,
}

/// The way whose hierarchy and doubts are shown.
const SHOWN: Way = Way::AtOnce;

impl<'a> Results<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let people = distinct(rows.iter().map(|row| row.people.as_str()));
        let shown = people.iter().find(|people| **people == PEOPLE[0]).or(people.first());
        let mut worlds = Vec::new();
        for domain in distinct(rows.iter().map(|row| row.domain.as_str())) {
            let asked =
                |people: &&&str| rows.iter().any(|row| row.domain == domain && row.people == **people);
            worlds.extend(people.iter().filter(asked).map(|&people| (domain, people)));
        }
        Self { rows, worlds, shown: shown.copied().unwrap_or_default(), people }
    }

    fn select(&self, domain: &str, people: &str, way: Way) -> Vec<&'a Row> {
        let is_of = |row: &&Row| row.domain == domain && row.people == people && row.way == way.name();
        self.rows.iter().filter(is_of).collect()
    }

    /// The median number of votes to the wanted AUC, if it was reached.
    fn votes(&self, domain: &str, people: &str, way: Way) -> Option<f64> {
        let rows = self.select(domain, people, way);
        median_reached(rows.iter().map(|row| row.reached)).filter(|votes| votes.is_finite())
    }

    fn costs(&self) -> String {
        let mut table = Vec::new();
        for &(domain, people) in &self.worlds {
            for way in Way::ALL {
                let rows = self.select(domain, people, way);
                let Some(joined) = median(rows.iter().map(|row| row.joined)) else { continue };
                let votes = self.votes(domain, people, way);
                table.push([
                    domain.replace('_', " "),
                    people.to_owned(),
                    way.name().to_owned(),
                    rows.len().to_string(),
                    thousands(joined),
                    digits(Some(votes.unwrap_or(f64::INFINITY)), 0),
                    digits(votes.map(|votes| votes * DOLLARS), 2),
                    digits(mean(rows.iter().map(|row| row.auc)), 3),
                ]);
            }
        }
        markdown_rows(table)
    }

    /// Whether single votes need at most a third of the votes of bundles.
    fn verdicts(&self) -> String {
        let mut table = Vec::new();
        for &(domain, people) in &self.worlds {
            for single in [Way::Singles, Way::Live, Way::AtOnce] {
                if self.select(domain, people, single).is_empty() {
                    continue;
                }
                let votes = self.votes(domain, people, single);
                let [paper, ours, at_once] = [Way::PaperBundles, Way::Bundles, Way::BundlesAtOnce]
                    .map(|way| votes.and_then(|votes| self.share(domain, people, votes, way)));
                let text = |share: Option<Share>| match share {
                    Some(Share { of, at_most: true }) => format!("less than {of:.2}"),
                    other => digits(other.map(|share| share.of), 2),
                };
                // With phases or without, like the single votes. Where bundles did not get there, a share that looks larger
                // than a third may be smaller.
                let verdict = match if single == Way::AtOnce { at_once } else { ours } {
                    Some(share) if 3.0 * share.of <= 1.0 => "met",
                    Some(share) if share.at_most => "undecided",
                    _ => "missed",
                };
                table.push([
                    domain.replace('_', " "),
                    people.to_owned(),
                    single.name().to_owned(),
                    digits(Some(votes.unwrap_or(f64::INFINITY)), 0),
                    text(paper),
                    text(ours),
                    text(at_once),
                    verdict.to_owned(),
                ]);
            }
        }
        markdown_rows(table)
    }

    /// So many single votes compared with a way with bundles; none if that was not tried.
    fn share(&self, domain: &str, people: &str, votes: f64, way: Way) -> Option<Share> {
        if let Some(bundled) = self.votes(domain, people, way) {
            return Some(Share { of: votes / bundled, at_most: false });
        }
        let rows = self.select(domain, people, way);
        let spent = median(rows.iter().filter_map(|row| row.curve.last()).map(|last| last.0))?;
        Some(Share { of: votes / spent, at_most: true })
    }

    fn of_domain(&self, set: Dataset) -> Result<DomainResults, Error> {
        let mut figures: Vec<Figure> =
            self.people.iter().filter_map(|people| self.curves(set, people)).collect();
        let rows = self.select(set.name(), self.shown, SHOWN);
        if let Some(row) = rows.first() {
            let caption = format!(
                "The hierarchy found with single votes of {} workers, all concepts from the start; parents below {CERTAIN} are dashed",
                self.shown
            );
            let svg = row.found.draw(set.tree().name(Concept::ROOT))?;
            figures.push(Figure { file: format!("{NAME}-{}-tree", set.name()), caption, svg });
        }
        let placed = rows.iter().flat_map(|row| &row.found.0);
        let names: Vec<&str> =
            placed.filter(|placed| placed.certainty() < CERTAIN).map(|placed| placed.name.as_str()).collect();
        let runs = |name: &&str| names.iter().filter(|other| *other == name).count();
        let mut doubtful = distinct(names.iter().copied());
        doubtful.sort_by_key(|name| (std::cmp::Reverse(runs(name)), *name));
        let doubtful = match &doubtful[..] {
            [] => "none".to_owned(),
            names => list(names.iter().map(|name| format!("{name} ({})", runs(name)))),
        };
        Ok(DomainResults { figures, divided: self.divided(set), doubtful, runs: rows.len() })
    }

    fn curves(&self, set: Dataset, people: &str) -> Option<Figure> {
        let title = format!("{}, {people} workers", set.name().replace('_', " "));
        let y = Axis::linear("AUC of the concepts that have joined").within(0.4, 1.0);
        let mut plot = Plot::new(&title, Axis::linear("votes"), y);
        plot.guides.push((WANTED, format!("AUC {WANTED}")));
        for (at, way) in Way::ALL.into_iter().enumerate() {
            let rows = self.select(set.name(), people, way);
            if !rows.is_empty() {
                let curves = rows.iter().map(|row| &row.curve);
                plot.lines.push(Line::mean(way.name(), LineStyle::numbered(at, false), curves));
            }
        }
        let file = format!("{NAME}-{}-{people}", set.name());
        (!plot.lines.is_empty()).then(|| plot.figure(file, format!("AUC against votes, {title}")))
    }

    /// The planted shares of the divided concepts, and the mean certainties that were found.
    fn divided(&self, set: Dataset) -> String {
        let (tree, shares) = (set.tree(), set.shares());
        markdown_rows(shares.divided().map(|concept| {
            let parents = shares.parents(concept);
            let planted = parents.iter().map(|&(parent, share)| format!("{} {share:.2}", tree.name(parent)));
            let mut row = vec![tree.name(concept).to_owned(), list(planted)];
            row.extend([Way::Singles, Way::Live, Way::AtOnce, Way::Bundles].map(|way| {
                let rows = self.select(set.name(), self.shown, way);
                let found = || rows.iter().flat_map(|row| &row.found.0);
                list(parents.iter().map(|&(parent, _)| {
                    let placed = found().filter(|placed| placed.name == tree.name(concept));
                    let certainty = mean(placed.map(|placed| placed.certainty_of(tree.name(parent))));
                    format!("{} {}", tree.name(parent), digits(certainty, 2))
                }))
            }));
            row
        }))
    }
}

/// A share of the votes that bundles need.
#[derive(Clone, Copy)]
struct Share {
    of: f64,
    /// Bundles had not got there with all their votes: the true share is less.
    at_most: bool,
}
