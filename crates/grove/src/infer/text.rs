use std::fmt::Write;

use grove_belief::{Report, Tally, Verdict, WorkerReport, WorkerVerdict};
use grove_tree::Concept;

use super::{Findings, Measured, json};
use crate::terminal;

/// How many lines of a list are printed; --json has all that are kept.
const LINES: usize = 10;

/// Everything for people to read: the hierarchy, then what deserves a look, then whether to trust it.
pub(super) fn write(findings: &Findings<'_>, colour: bool) -> String {
    let mut text = terminal::draw(findings.hierarchy, colour);
    for section in [
        alternatives(findings),
        doubtful_votes(findings),
        divided(findings),
        contradictions(findings),
        synonyms(findings),
        workers(findings),
    ] {
        text.push_str(&section);
    }
    text.push('\n');
    text.push_str(&summary(findings));
    text
}

/// A heading with at most so many lines below it; nothing at all without any.
fn section(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{heading}:\n");
    for line in lines.iter().take(LINES) {
        text.push_str(&format!("  {line}\n"));
    }
    if lines.len() > LINES {
        text.push_str(&format!("  and {} more; --json lists them\n", lines.len() - LINES));
    }
    text
}

fn alternatives(findings: &Findings<'_>) -> String {
    let hierarchy = findings.hierarchy;
    let line = |&concept: &Concept| {
        let entry = hierarchy.entry(concept)?;
        let mut places = vec![(hierarchy.parent_name(concept), entry.certainty.unwrap_or_default())];
        places
            .extend(entry.alternatives.iter().take(3).map(|&(parent, sure)| (hierarchy.name(parent), sure)));
        let places: Vec<String> = places.iter().map(|(parent, sure)| format!("{parent} {sure:.2}")).collect();
        Some(format!("{}: under {}", entry.name, places.join(", or ")))
    };
    let lines: Vec<String> = findings.report.doubtful.iter().filter_map(line).collect();
    section("Doubtful concepts, and where else they may belong", &lines)
}

fn doubtful_votes(findings: &Findings<'_>) -> String {
    let recorded = &findings.input.recorded;
    let line = |doubtful: &grove_belief::DoubtfulVote| {
        let (vote, hierarchy) = (doubtful.vote, findings.hierarchy);
        format!(
            "line {}: {} said {} to {} above {} (chance {:.2})",
            recorded.lines[doubtful.id.index()],
            recorded.workers[vote.worker.index()],
            json::answer(vote.answer),
            hierarchy.name(vote.question.upper),
            hierarchy.name(vote.question.lower),
            doubtful.probability
        )
    };
    let lines: Vec<String> = findings.report.doubtful_votes.iter().map(line).collect();
    section("Doubtful votes, least probable first", &lines)
}

fn divided(findings: &Findings<'_>) -> String {
    let line = |divided: &grove_belief::DividedQuestion| {
        let [upper, lower] =
            [divided.question.upper, divided.question.lower].map(|concept| findings.hierarchy.name(concept));
        format!("{upper} above {lower}: {}", votes(divided.votes))
    };
    let lines: Vec<String> = findings.report.divided_questions.iter().map(line).collect();
    section("Questions that divide people", &lines)
}

fn contradictions(findings: &Findings<'_>) -> String {
    let name = |concept| findings.hierarchy.name(concept);
    let line = |clash: &grove_belief::TransitivityClash| {
        let (upper, middle, lower) = (name(clash.upper), name(clash.middle), name(clash.lower));
        format!(
            "{upper} above {middle} ({}), {middle} above {lower} ({}), but not {upper} above {lower} ({})",
            votes(clash.upper_middle),
            votes(clash.middle_lower),
            votes(clash.upper_lower)
        )
    };
    let lines: Vec<String> = findings.report.clashes.iter().map(line).collect();
    section("Majorities that contradict each other", &lines)
}

fn synonyms(findings: &Findings<'_>) -> String {
    let line = |pair: &grove_belief::ProbableSynonyms| {
        let [one, other] = pair.concepts.map(|concept| findings.hierarchy.name(concept));
        format!(
            "{one} and {other}: above ({}) and below ({})",
            votes(pair.first_above),
            votes(pair.second_above)
        )
    };
    let lines: Vec<String> = findings.report.synonyms.iter().map(line).collect();
    section("Probable synonyms", &lines)
}

fn votes(tally: Tally) -> String {
    format!("{} yes, {} no", tally.yes, tally.no)
}

/// Those to look at first: who does not read, who has it the wrong way round, then the others by votes.
fn workers(findings: &Findings<'_>) -> String {
    let report = findings.report;
    if matches!(report.workers.first(), Some(worker) if worker.verdict == WorkerVerdict::RatesGiven) {
        return String::new();
    }
    let mut workers: Vec<&WorkerReport> = report.workers.iter().collect();
    let is_fine = |worker: &WorkerReport| {
        matches!(worker.verdict, WorkerVerdict::Fine | WorkerVerdict::TooFewVotes | WorkerVerdict::RatesGiven)
    };
    workers.sort_by_key(|worker| (is_fine(worker), std::cmp::Reverse(worker.votes.total()), worker.worker));
    let line = |worker: &&WorkerReport| {
        format!(
            "{}: {}, says yes to {:.0} % of what is so and to {:.0} % of what is not; {}",
            findings.input.recorded.workers[worker.worker.index()],
            terminal::count(worker.votes.total(), "vote"),
            100.0 * worker.when_above.mean,
            100.0 * worker.when_neither.mean,
            verdict(worker.verdict)
        )
    };
    section("Workers", &workers.iter().map(line).collect::<Vec<_>>())
}

fn verdict(verdict: WorkerVerdict) -> &'static str {
    match verdict {
        WorkerVerdict::Fine => "fine",
        WorkerVerdict::Straightliner => "says the same whatever the question",
        WorkerVerdict::Inverted => "has understood the question the other way round",
        WorkerVerdict::TooFewVotes => "too few votes to tell",
        WorkerVerdict::RatesGiven => "rates as given",
    }
}

fn summary(findings: &Findings<'_>) -> String {
    let Findings { report, input, hierarchy, .. } = findings;
    let mut text = String::new();
    let count = hierarchy.len();
    let mut say = |line: String| writeln!(text, "{line}").expect("a string takes any text");
    say(format!(
        "{}, {} ({} yes, {} no, {} can't say) by {} on {}",
        terminal::count(count, "concept"),
        terminal::count(report.votes.total(), "vote"),
        report.votes.yes,
        report.votes.no,
        report.votes.cant_say,
        terminal::count(report.workers.len(), "worker"),
        terminal::count(report.questions, "question")
    ));
    if input.recorded.repeated > 0 {
        say(format!(
            "{} votes repeat a question to the same worker; all were counted",
            input.recorded.repeated
        ));
    }
    say(format!(
        "how sure: {:.1} of {count} parents expected right, {} below {}",
        report.expected_right,
        report.doubtful.len(),
        terminal::RED_LINE
    ));
    say(trust(report));
    if let Some(measured) = &findings.measures {
        say(compared(measured, count));
    }
    text
}

fn trust(report: &Report) -> String {
    let health = report.health;
    match health.verdict {
        Verdict::Converged if health.effective_trees.is_infinite() => {
            "converged: every tree was counted".to_owned()
        }
        Verdict::Converged => {
            format!("converged: {:.0} effective trees, R-hat {:.3}", health.effective_trees, health.r_hat)
        }
        Verdict::NotConverged => format!(
            "not converged (R-hat {:.2}, {:.0} effective trees): take the certainties as rough",
            health.r_hat, health.effective_trees
        ),
        Verdict::Unchecked => format!(
            "the trees agree with each other ({:.0} effective trees, R-hat {:.3}); there are too many concepts to build others for comparison",
            health.effective_trees, health.r_hat
        ),
        Verdict::Approximate => {
            "approximate: this engine's certainties are off by more than sampling error".to_owned()
        }
    }
}

fn compared(measured: &Measured, count: usize) -> String {
    let edges = &measured.edges;
    let maybe = |what: &str, value: Option<f64>| {
        value.map_or_else(String::new, |value| format!(", {what} {value:.3}"))
    };
    format!(
        "against the truth: {:.0} of {count} parents right{}{}, ancestor F1 {:.3}, Brier {:.3}{}",
        edges.parents_right * count as f64,
        maybe("edge AUC", edges.edge_auc),
        maybe("path AUC", measured.path_auc),
        edges.ancestor_f1,
        edges.brier,
        maybe("calibration error", edges.calibration_error),
    )
}
