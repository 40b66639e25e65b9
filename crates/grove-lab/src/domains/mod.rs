//! Body parts, kitchen utensils and food (section 4.4 of the paper), with simulated people who each have a hierarchy of their own.

mod campaign;
mod found;
mod order;
mod pool;

use grove_sim::Dataset;
use grove_tree::Concept;

use crate::curves::{lengths, line, numbers, reached};
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::plot::{Axis, Chart, Look};
use crate::report::{Figure, Section};
use crate::statistics::{mean, median, reaches_for_good};
use crate::study::{Cell, Size, Study};
use crate::table::{Row, Table, or_nothing, pack};
use crate::{Error, Experiment};
use campaign::{CERTAIN, People, Way};
use found::Found;

const NAME: &str = "domains";

/// The AUC to reach.
const WANTED: f64 = 0.97;

/// What a vote costs: 4 cents for five answers.
const DOLLARS: f64 = 0.04 / 5.0;

/// Runs of a setting.
const RUNS: u64 = 3;

/// A set of concepts, how many of them come first (as in the paper), and how many votes are spent on open workers: in bundles, and one by one. Qualified ones
/// get two thirds of them.
#[derive(Clone, Copy)]
struct Domain {
    set: Dataset,
    initial: usize,
    bundled: usize,
    single: usize,
}

/// The largest comes last.
const DOMAINS: [Domain; 3] = [
    Domain { set: Dataset::BodyParts, initial: 10, bundled: 6_000, single: 2_160 },
    Domain { set: Dataset::Food, initial: 23, bundled: 4_200, single: 1_440 },
    Domain { set: Dataset::KitchenUtensils, initial: 15, bundled: 9_600, single: 3_600 },
];

impl Domain {
    fn votes(self, people: People, way: Way, size: Size) -> usize {
        let open = if way.in_bundles() { self.bundled } else { self.single };
        size.pick(72, if people == People::Qualified { open * 2 / 3 } else { open })
    }

    /// Fewer where a run takes minutes.
    fn runs(self, size: Size) -> u64 {
        size.pick(1, if self.set == Dataset::KitchenUtensils { 1 } else { RUNS })
    }
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut cells = Vec::new();
    // Seed by seed, so that a run which is broken off has something of everything.
    for run in 0..RUNS {
        for domain in size.pick(DOMAINS[1..2].to_vec(), DOMAINS.to_vec()) {
            if run >= domain.runs(size) {
                continue;
            }
            for people in size.pick(vec![People::Qualified], People::ALL.to_vec()) {
                cells.extend(Way::ALL.map(|way| cell(domain, people, way, size, seed + run)));
            }
        }
    }
    let measures = &["joined", "reached", "auc", "curve", "found"];
    vec![Study { name: NAME, settings: &["domain", "people", "way"], measures, cells, alone: false }]
}

fn cell(domain: Domain, people: People, way: Way, size: Size, seed: u64) -> Cell {
    let names = [domain.set.name(), people.name(), way.name()].map(str::to_owned);
    let votes = domain.votes(people, way, size);
    Cell::new(names.to_vec(), seed, move || measure(domain, people, way, votes, seed))
}

fn measure(domain: Domain, people: People, way: Way, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let outcome = campaign::run(domain.set, people, way, domain.initial, votes, seed)?;
    let whole: Vec<(f64, f64)> = outcome.curve.iter().map(|&(votes, auc)| (votes as f64, auc)).collect();
    let joined: Vec<(f64, f64)> = whole.into_iter().filter(|point| point.0 > outcome.joined as f64).collect();
    let auc = crate::asking::auc(&*outcome.belief, &outcome.order.truth(outcome.belief.evidence().count())?)?;
    Ok(vec![
        outcome.joined.to_string(),
        or_nothing(reaches_for_good(&joined, WANTED)),
        format!("{auc:.5}"),
        pack(outcome.curve),
        found::pack(&*outcome.belief, &outcome.order, &domain.set.tree()),
    ])
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read(NAME)?;
    let mut figures = Vec::new();
    let mut text = format!("{WHAT}\n{}\n{}", costs(&table)?, verdict(&table)?);
    for domain in
        DOMAINS.iter().filter(|domain| table.values("domain").iter().any(|name| name == domain.set.name()))
    {
        for figure in pictures(&table, domain.set)? {
            figure.show(&mut text, &mut figures);
        }
        text.push_str(&format!("\n{}", doubts(&table, domain.set)?));
    }
    Section::new(Experiment::Domains, "Three domains", &[&table], text, figures, summary(&table)?)
}

const WHAT: &str = "\
Body parts (44, the paper's words, \"part of\"), kitchen utensils (66 from WordNet, in place of the paper's products, which are not public) and food (26, \"kind of\"). 40 \
simulated people with rates around .83/.20 (open) or .94/.05 (qualified) each have a hierarchy of their own: over three body parts and three foods they divide .6 to .4 \
(`data/*.shares.tsv`). As in the paper, 10, 15 and 23 concepts come first, and the others one by one: the next joins when the last has a parent with a certainty of 0.75, or after 96 \
votes. Bundles of 8 and single votes come from one record of 8 votes on every ordered pair; a bundle counts as one answer, the majority's, with the paper's \
noise from its own votes; \"live\" asks people afresh, and \"no phases\" asks about all concepts from the start, as Grove would be used where they are known. Whoever comes gets the best question for them; on the record, of those that they answered. Single votes are told nothing of the people. A vote costs 0.8 cents, as in the paper.\n";

fn costs(table: &Table) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "domain",
        "workers",
        "way",
        "runs",
        "all joined after",
        "votes to AUC 0.97",
        "dollars",
        "AUC at the end",
    ]);
    for (domain, people) in worlds(table) {
        for way in Way::ALL {
            let rows = rows_of(table, &domain, &people, way);
            if rows.is_empty() {
                continue;
            }
            let votes = median(&reached(&rows, "reached")?);
            let dollars = votes.filter(|votes| votes.is_finite()).map(|votes| votes * DOLLARS);
            out.row(&[
                domain.replace('_', " ").as_str(),
                &people,
                way.name(),
                &rows.len().to_string(),
                &thousands(median(&numbers(&rows, "joined")?).unwrap_or_default()),
                &digits(votes, 0),
                &digits(dollars, 2),
                &digits(mean(&numbers(&rows, "auc")?), 3),
            ]);
        }
    }
    Ok(format!(
        "Medians over runs; 0.97 is reached once all concepts have joined and the AUC stays there:\n\n{}",
        out.text()
    ))
}

/// The domains and the people that were asked about them.
fn worlds(table: &Table) -> Vec<(String, String)> {
    let of = |domain: String| table.values("people").into_iter().map(move |people| (domain.clone(), people));
    let worlds = table.values("domain").into_iter().flat_map(of);
    worlds
        .filter(|(domain, people)| !table.find(&[("domain", domain), ("people", people)]).is_empty())
        .collect()
}

fn rows_of<'a>(table: &'a Table, domain: &str, people: &str, way: Way) -> Vec<Row<'a>> {
    table.find(&[("domain", domain), ("people", people), ("way", way.name())])
}

fn votes_of(table: &Table, domain: &str, people: &str, way: Way) -> Result<Option<f64>, Error> {
    let rows = rows_of(table, domain, people, way);
    Ok(median(&reached(&rows, "reached")?).filter(|votes| votes.is_finite()))
}

/// Whether single votes need a third of the votes of bundles.
fn verdict(table: &Table) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "domain",
        "workers",
        "way",
        "votes",
        "of the paper's engine in bundles",
        "of ours in bundles",
        "of ours in bundles, no phases",
        "at most a third",
    ]);
    for (domain, people) in worlds(table) {
        for single in [Way::Singles, Way::Live, Way::AtOnce] {
            if rows_of(table, &domain, &people, single).is_empty() {
                continue;
            }
            let votes = votes_of(table, &domain, &people, single)?;
            let of = |way: Way| share(table, (&domain, &people), votes, way);
            let [paper, ours, at_once] = [of(Way::PaperBundles)?, of(Way::Bundles)?, of(Way::BundlesAtOnce)?];
            // With phases or without, as the single votes.
            let beside = if single == Way::AtOnce { at_once } else { ours };
            let text = |share: Option<Share>| share.map_or_else(|| "-".to_owned(), Share::text);
            out.row(&[
                domain.replace('_', " "),
                people.clone(),
                single.name().to_owned(),
                votes.map_or_else(|| "not reached".to_owned(), thousands),
                text(paper),
                text(ours),
                text(at_once),
                Share::verdict(beside).to_owned(),
            ]);
        }
    }
    Ok(format!("{THIRD}\n{}", out.text()))
}

const THIRD: &str = "\
Wanted: at most a third of the votes that bundles of 8 need, with phases beside phases and without beside without. What a bundle costs in vain depends on the people: the majority of 8 good answers tells hardly more than one of them, that of \
8 poor ones tells three times as much. Phases cost more than bundles do: a concept that divides people never gets a certain parent, and lets the next one wait for as long as it \
may; whoever has all concepts beforehand should ask about all of them. A way that spends its votes before all have joined has not got there.\n";

/// A part of the votes that bundles need.
#[derive(Clone, Copy)]
struct Share {
    of: f64,
    /// Bundles had not got there with all their votes: the true share is less.
    at_most: bool,
}

impl Share {
    /// Whether it is a third at most. Where bundles did not get there, a share that looks larger may be smaller.
    fn verdict(share: Option<Self>) -> &'static str {
        match share {
            Some(share) if 3.0 * share.of <= 1.0 => "met",
            Some(share) if share.at_most => "undecided",
            _ => "missed",
        }
    }

    fn text(self) -> String {
        format!("{}{:.2}", if self.at_most { "less than " } else { "" }, self.of)
    }
}

/// So many single votes beside what a way with bundles needs; none where either did not get there or was not tried.
fn share(
    table: &Table,
    (domain, people): (&str, &str),
    votes: Option<f64>,
    way: Way,
) -> Result<Option<Share>, Error> {
    let Some(votes) = votes else { return Ok(None) };
    if let Some(bundled) = votes_of(table, domain, people, way)? {
        return Ok(Some(Share { of: votes / bundled, at_most: false }));
    }
    let spent = lengths(&rows_of(table, domain, people, way), "curve")?;
    Ok(median(&spent).map(|spent| Share { of: votes / spent, at_most: true }))
}

/// Whose hierarchy and doubts are shown.
const SHOWN: Way = Way::AtOnce;

fn pictures(table: &Table, set: Dataset) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    for people in table.values("people") {
        let title = format!("{}, {people} workers", set.name().replace('_', " "));
        let y = Axis::linear("AUC of the concepts that have joined").within(0.4, 1.0);
        let mut chart = Chart::new(&title, Axis::linear("votes"), y);
        chart.guides.push((WANTED, format!("AUC {WANTED}")));
        for (at, way) in Way::ALL.into_iter().enumerate() {
            let rows = rows_of(table, set.name(), &people, way);
            if !rows.is_empty() {
                let look = Look { colour: at, dash: at, marks: false };
                chart.lines.push(line(way.name(), look, &rows, "curve")?);
            }
        }
        if chart.lines.is_empty() {
            continue;
        }
        let file = format!("{NAME}-{}-{people}", set.name());
        figures.push(Figure::new(file, format!("AUC against votes, {title}"), chart.svg()));
    }
    if let Some(found) = first(table, set, SHOWN) {
        let tree = set.tree();
        let says = format!(
            "The hierarchy found with single votes of {} workers, all concepts from the start; parents below {CERTAIN} are red",
            shown(table)
        );
        let svg = found::draw(tree.name(Concept::ROOT), &found)?;
        figures.push(Figure::new(format!("{NAME}-{}-tree", set.name()), says, svg));
    }
    Ok(figures)
}

/// Whose hierarchies are shown: open workers', where there are any.
fn shown(table: &Table) -> String {
    let people = table.values("people");
    people
        .iter()
        .find(|people| *people == People::Open.name())
        .or(people.first())
        .cloned()
        .unwrap_or_default()
}

/// What the first run of a way found.
fn first(table: &Table, set: Dataset, way: Way) -> Option<Vec<Found>> {
    let rows = rows_of(table, set.name(), &shown(table), way);
    rows.first().and_then(|row: &Row<'_>| found::unpack(row.text("found")))
}

/// Planted shares beside certainties, and what else is doubtful.
fn doubts(table: &Table, set: Dataset) -> Result<String, Error> {
    let (tree, shares) = (set.tree(), set.shares());
    let mut text = String::new();
    let mut out = MarkdownTable::new(&[
        "divided concept",
        "planted",
        "single votes",
        "single live votes",
        "single votes, no phases",
        "bundles of 8",
    ]);
    for concept in shares.divided() {
        let parents: Vec<(&str, f64)> =
            shares.parents(concept).into_iter().map(|(parent, share)| (tree.name(parent), share)).collect();
        let planted: Vec<String> = parents.iter().map(|(name, share)| format!("{name} {share:.2}")).collect();
        let mut row = vec![tree.name(concept).to_owned(), planted.join(", ")];
        for way in [Way::Singles, Way::Live, Way::AtOnce, Way::Bundles] {
            row.push(certainties(table, set, way, tree.name(concept), &parents)?);
        }
        out.row(&row);
    }
    if shares.divided().next().is_some() {
        text.push_str(&format!(
            "Mean certainties over runs, {} workers. A certainty is not a share of people: it says how far votes that may divide leave the place open, and rests on as many votes as the question was \
             worth.\n\n{}\n",
            shown(table),
            out.text()
        ));
    }
    let mut ambiguous: Vec<(String, usize)> = Vec::new();
    let rows = rows_of(table, set.name(), &shown(table), SHOWN);
    for found in rows.iter().filter_map(|row| found::unpack(row.text("found"))) {
        for doubtful in found.into_iter().filter(|found| found.certainty() < CERTAIN) {
            match ambiguous.iter_mut().find(|(name, _)| *name == doubtful.name) {
                Some((_, runs)) => *runs += 1,
                None => ambiguous.push((doubtful.name, 1)),
            }
        }
    }
    ambiguous.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let names: Vec<String> = ambiguous.iter().map(|(name, runs)| format!("{name} ({runs})")).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    text.push_str(&format!(
        "Doubtful in the end with single votes of {} workers without phases (in how many of {} runs): {names}.\n",
        shown(table),
        rows.len()
    ));
    Ok(text)
}

fn certainties(
    table: &Table,
    set: Dataset,
    way: Way,
    concept: &str,
    parents: &[(&str, f64)],
) -> Result<String, Error> {
    let rows = rows_of(table, set.name(), &shown(table), way);
    let found: Vec<Vec<Found>> = rows.iter().filter_map(|row| found::unpack(row.text("found"))).collect();
    let of = |parent: &str| {
        let in_run = |found: &Vec<Found>| {
            found.iter().find(|found| found.name == concept).map(|found| found.certainty_of(parent))
        };
        mean(&found.iter().filter_map(in_run).collect::<Vec<f64>>())
    };
    let words: Vec<String> =
        parents.iter().map(|(name, _)| format!("{name} {}", digits(of(name), 2))).collect();
    Ok(words.join(", "))
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let mut rows = Vec::new();
    for (domain, people) in worlds(table) {
        let votes = |way: Way| -> Result<String, Error> {
            Ok(votes_of(table, &domain, &people, way)?.map_or_else(|| "not reached".to_owned(), thousands))
        };
        rows.push([
            format!("votes to AUC {WANTED}, {}, {people} workers", domain.replace('_', " ")),
            "not told; asks 8 votes a question".to_owned(),
            format!(
                "with phases: bundles of 8 {}, single votes {}, single live votes {}; without: bundles {}, single votes {}",
                votes(Way::Bundles)?,
                votes(Way::Singles)?,
                votes(Way::Live)?,
                votes(Way::BundlesAtOnce)?,
                votes(Way::AtOnce)?
            ),
        ]);
    }
    Ok(rows)
}
