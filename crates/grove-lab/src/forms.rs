//! What other forms than yes/no save: screens and seconds of people's time until a hierarchy is known.

use grove_belief::{Asking as Forms, Ensemble, EnsembleSettings, Evidence, Form, Prior, Settings};
use grove_sim::{Crowd, CrowdSpec, Dataset, Shares, ask_screen, settle};

use crate::prelude::*;

const NAME: &str = "forms";

/// So many people that hardly anybody is asked twice; they all have the same rate anyway.
const MANY: usize = 1_000;
const NOISE: f64 = 0.05;
/// Of open workers, of whom nothing is told.
const PEOPLE: usize = 30;

/// Screens between two comparisons with the truth.
const EVERY: usize = 25;

/// The AUCs to reach.
const WANTED: [f64; 2] = [0.97, 0.99];

/// The crowds that answer.
const TOLD: &str = "5 % noise, told";
const OPEN: &str = "open workers, nothing told";

/// The combinations of forms that are compared.
const YES_NO: &str = "yes/no";
const ALL: &str = "yes/no, pick, tick";

/// The hierarchies, with the most screens in all forms, and in yes/no alone.
const SETS: [(Dataset, usize, usize); 3] = [
    (Dataset::BodyParts, 300, 600),
    (Dataset::KitchenUtensils, 400, 1_000),
    (Dataset::EdibleFruit, 1_500, 4_000),
];

/// The runs of a hierarchy: fewer where they take long.
fn runs(set: Dataset) -> u64 {
    if set == Dataset::EdibleFruit { 3 } else { 5 }
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let measures = &["screens", "seconds_97", "seconds_99", "picks", "ticks", "curve"];
    let mut study = Study::new(NAME, &["set", "people", "forms"], measures);
    let sets = size.pick(&SETS[..1], &SETS);
    for &(set, most, most_yes_no) in sets {
        for (forms, most) in [(ALL, most), (YES_NO, most_yes_no)] {
            let most = size.pick(10, most);
            let seeds = seed..seed + size.pick(1, runs(set));
            study
                .add(&[&set.name(), &TOLD, &forms], seeds, move |seed| screens(set, TOLD, forms, most, seed));
        }
    }
    let (set, most) = size.pick((Dataset::BodyParts, 10), (Dataset::KitchenUtensils, 700));
    let seeds = seed..seed + size.pick(1, 5);
    study.add(&[&set.name(), &OPEN, &ALL], seeds, move |seed| screens(set, OPEN, ALL, most, seed));
    vec![study]
}

fn screens(set: Dataset, people: &str, forms: &str, most: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let named = set.tree();
    let truth = named.tree();
    let (spec, settings) = match people {
        TOLD => {
            let settings = Settings { prior: Prior::taxonomy(), ..Settings::one_rate(NOISE)? };
            (CrowdSpec::one_rate(MANY, NOISE)?, settings)
        }
        _ => (CrowdSpec::open(PEOPLE), Settings::default()),
    };
    let mut crowd = Crowd::gather(&spec, &Shares::none(truth), &mut rng)?;
    let asking = if forms == YES_NO { Forms::paper() } else { Forms::crowd() };
    let evidence = Evidence::new(truth.len(), settings)?;
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(truth.len()) };
    let mut belief = Ensemble::new(evidence, settings)?;
    // The seconds until each screen's end, and how many screens had each form.
    let (mut seconds, mut counts): (Vec<f64>, [usize; 4]) = (vec![0.0], [0; 4]);
    let schedule = grove_sim::Schedule::every(EVERY, most);
    let course = settle(&mut belief, truth, schedule, |belief| -> Result<usize, Error> {
        let Some(choice) = ask_screen(belief, &mut crowd, &asking, 0.0, &mut rng)? else { return Ok(0) };
        seconds.push(seconds.last().copied().unwrap_or_default() + choice.seconds);
        counts[choice.screen.form() as usize] += 1;
        Ok(1)
    })?;
    let curve = Curve::new(course.curve.iter().map(|&(screens, auc)| (screens as f64, auc)));
    let until = |auc: f64| {
        let screens = curve.reaches_for_good(auc)?;
        Some(format!("{:.0}", seconds[screens as usize]))
    };
    let [at_97, at_99] = WANTED.map(|auc| or_empty(until(auc)));
    let [picks, ticks] = [Form::Pick, Form::Tick].map(|form| counts[form as usize].to_string());
    Ok(vec![course.votes.to_string(), at_97, at_99, picks, ticks, curve.to_string()])
}

#[derive(Deserialize)]
struct Row {
    set: String,
    people: String,
    forms: String,
    screens: f64,
    seconds_97: Option<f64>,
    seconds_99: Option<f64>,
    picks: f64,
    ticks: f64,
    curve: Curve,
}

impl Row {
    fn seconds(&self) -> [Option<f64>; 2] {
        [self.seconds_97, self.seconds_99]
    }
}

#[derive(Template)]
#[template(path = "forms.md", escape = "none")]
struct Page {
    rows: String,
    figure: Figure,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read::<Row>(NAME)?;
    let select = |set: &str, people: &str, forms: &str| -> Vec<&Row> {
        table.rows.iter().filter(|row| row.set == set && row.people == people && row.forms == forms).collect()
    };
    let reached =
        |rows: &[&Row], auc: f64| median_reached(rows.iter().map(|row| row.curve.reaches_for_good(auc)));
    let time = |rows: &[&Row], which: usize| median_reached(rows.iter().map(|row| row.seconds()[which]));
    let (mut rows, mut summary) = (Vec::new(), Vec::new());
    let arms =
        distinct(table.rows.iter().map(|row| (row.set.as_str(), row.people.as_str(), row.forms.as_str())));
    for (set, people, forms) in arms {
        let of_arm = select(set, people, forms);
        let yes_no = select(set, people, YES_NO);
        let share = |which: usize| match (time(&of_arm, which), time(&yes_no, which)) {
            (Some(one), Some(other)) if one.is_finite() && other.is_finite() => {
                format!("{:.0} %", 100.0 * one / other)
            }
            // Yes/no did not get there: it takes more than all that it was given.
            (Some(one), Some(_)) if one.is_finite() => {
                let all = median(yes_no.iter().map(|row| row.screens)).unwrap_or_default();
                format!("< {:.0} %", 100.0 * one / (all * grove_belief::Seconds::default().yes_no))
            }
            _ => "-".to_owned(),
        };
        let part = |of: fn(&Row) -> f64| {
            let (some, all): (f64, f64) =
                (of_arm.iter().map(|row| of(row)).sum(), of_arm.iter().map(|row| row.screens).sum());
            format!("{:.0} %", 100.0 * some / all)
        };
        let name = set.replace('_', " ");
        rows.push([
            name.clone(),
            people.to_owned(),
            forms.to_owned(),
            of_arm.len().to_string(),
            digits(reached(&of_arm, WANTED[0]), 0),
            digits(reached(&of_arm, WANTED[1]), 0),
            digits(time(&of_arm, 0), 0),
            if forms == YES_NO { "-".to_owned() } else { share(0) },
            part(|row| row.picks),
            part(|row| row.ticks),
        ]);
        if forms == ALL {
            let both = WANTED.map(|auc| digits(reached(&of_arm, auc), 0)).join(" / ");
            let what = format!("screens to AUC 0.97 / 0.99 with pick and tick, {name}, {people}");
            summary.push(summary_row(what, "-", both));
        }
    }
    let widest = distinct(table.rows.iter().map(|row| row.set.as_str())).last().copied().unwrap_or_default();
    let y = Axis::linear("AUC of the edges").within(0.4, 1.0);
    let mut plot = Plot::new(&widest.replace('_', " "), Axis::linear("screens"), y);
    for (at, forms) in [ALL, YES_NO].into_iter().enumerate() {
        let of_arm = select(widest, TOLD, forms);
        if !of_arm.is_empty() {
            let style = LineStyle::numbered(at, false);
            plot.lines.push(Line::mean(forms, style, of_arm.iter().map(|row| &row.curve)));
        }
    }
    let figure = plot.figure(NAME, format!("AUC against screens, {}", widest.replace('_', " ")));
    let page = Page { rows: markdown_rows(rows), figure: figure.clone() };
    Ok(Section::new(&page, vec![figure], summary, &[table.origin]))
}
