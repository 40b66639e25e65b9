use grove_belief::{ProbableSynonyms, Reason, Tally, TransitivityClash, WorkerReport, WorkerVerdict};
use grove_vocabulary::Reply;

use crate::inference::{DoubtfulVote, Findings, Measured, Named, Pair, Triangle, Worker};
use crate::terminal::{self, Alternative, Edge};
use crate::text::{certainty, convergence, count, section};

/// How many lines of a list are printed; --json has all of them.
const LINES: usize = 10;

/// The hierarchy, then what deserves attention, then whether to trust it.
pub(super) fn text(findings: &Findings<'_>, colour: bool) -> String {
    let edges = &findings.hierarchy;
    // Votes will not change that people differ, so what is doubtful for that reason alone is listed apart.
    let doubtful = findings.report.doubtful.iter().map(|concept| &edges[concept.index() - 1]);
    let doubtful = doubtful.filter(|edge| edge.reason != [Reason::Differ]);
    let differing = edges.iter().filter(|edge| edge.reason.contains(&Reason::Differ));
    let differing = differing.map(|edge| format!("{}: {}", edge.child, terminal::shares(&edge.places)));
    let divided = findings.divided_questions.iter().map(|Named { names, report }| {
        format!("{} above {}: {}", names.upper, names.lower, votes(report.votes))
    });
    [
        terminal::draw(findings.drawing, colour),
        section("Concepts that people place differently", differing, LINES),
        section("Doubtful concepts and their possible parents", doubtful.map(parents), LINES),
        section(
            "Doubtful votes, least probable first",
            findings.doubtful_votes.iter().map(doubtful_vote),
            LINES,
        ),
        section("Questions that divide people", divided, LINES),
        section(
            "Majorities that contradict each other",
            findings.contradictions.iter().map(contradiction),
            LINES,
        ),
        section("Probable synonyms", findings.synonyms.iter().map(synonyms), LINES),
        workers(findings),
        summary(findings),
    ]
    .concat()
}

fn parents(edge: &Edge<'_>) -> String {
    let first = Alternative { parent: edge.parent, certainty: edge.certainty.unwrap_or_default() };
    let parents = std::iter::once(&first).chain(edge.alternatives.iter().take(3));
    let parents: Vec<String> =
        parents.map(|Alternative { parent, certainty }| format!("{parent} {certainty:.2}")).collect();
    format!("{}: under {}{}", edge.child, parents.join(", or "), terminal::words(&edge.reason))
}

fn doubtful_vote(vote: &DoubtfulVote<'_>) -> String {
    let DoubtfulVote { line, worker, question, probability, .. } = vote;
    let (said, upper, lower) = (Reply::<&str>::from(vote.answer), question.upper, question.lower);
    format!("line {line}: {worker} said {said} to {upper} above {lower} (probability {probability:.2})")
}

fn contradiction(clash: &Named<Triangle<'_>, &TransitivityClash>) -> String {
    let Triangle { upper, middle, lower } = clash.names;
    format!(
        "{upper} above {middle} ({}), {middle} above {lower} ({}), but not {upper} above {lower} ({})",
        votes(clash.report.upper_middle),
        votes(clash.report.middle_lower),
        votes(clash.report.upper_lower)
    )
}

fn synonyms(pair: &Named<Pair<'_>, &ProbableSynonyms>) -> String {
    let [one, other] = pair.names.concepts;
    let (above, below) = (votes(pair.report.first_above), votes(pair.report.second_above));
    format!("{one} and {other}: above ({above}) and below ({below})")
}

fn votes(tally: Tally) -> String {
    format!("{} yes, {} no", tally.yes, tally.no)
}

/// Workers with a problem first, then the others by number of votes; none if their rates were given.
fn workers(findings: &Findings<'_>) -> String {
    let mut workers: Vec<&Named<Worker<'_>, &WorkerReport>> = findings.workers.iter().collect();
    if matches!(workers.first(), Some(first) if first.report.verdict == WorkerVerdict::RatesGiven) {
        return String::new();
    }
    let has_problem = |report: &WorkerReport| {
        matches!(report.verdict, WorkerVerdict::Straightliner | WorkerVerdict::Inverted)
    };
    workers.sort_by_key(|Named { names, report }| {
        (!has_problem(report), std::cmp::Reverse(names.votes), report.worker)
    });
    let line = |Named { names, report }: &Named<Worker<'_>, &WorkerReport>| {
        format!(
            "{}: {}, says yes to {:.0} % of true statements and to {:.0} % of false ones; {}",
            names.worker,
            count(names.votes, "vote"),
            100.0 * report.when_above.mean,
            100.0 * report.when_neither.mean,
            match report.verdict {
                WorkerVerdict::Fine => "fine",
                WorkerVerdict::Straightliner => "gives the same answer whatever the question",
                WorkerVerdict::Inverted => "seems to read the question the wrong way round",
                WorkerVerdict::TooFewVotes => "too few votes to tell",
                WorkerVerdict::RatesGiven => "rates as given",
            }
        )
    };
    section("Workers", workers.into_iter().map(line), LINES)
}

fn summary(findings: &Findings<'_>) -> String {
    let report = findings.report;
    let other_forms = match report.screens - report.votes.total() {
        0 => String::new(),
        some => format!(", {} in other forms", count(some, "answer")),
    };
    let mut lines = vec![format!(
        "\n{}{other_forms}, {} ({} yes, {} no, {} can't say) by {} on {}",
        count(report.concepts.len(), "concept"),
        count(report.votes.total(), "vote"),
        report.votes.yes,
        report.votes.no,
        report.votes.cant_say,
        count(report.workers.len(), "worker"),
        count(report.questions, "question")
    )];
    if findings.repeated_votes > 0 {
        let repeated = count(findings.repeated_votes, "repeated vote");
        lines.push(format!("{repeated} by workers who had answered the question before; all were counted"));
    }
    lines.extend([certainty(report), convergence(report)]);
    if findings.stopped {
        lines.push("stopped by Ctrl-C before it finished: run it again for better certainties".to_owned());
    }
    lines.extend(findings.measures.as_ref().map(|measured| compared(measured, report.concepts.len())));
    lines.join("\n") + "\n"
}

fn compared(measured: &Measured, count: usize) -> String {
    let edges = &measured.edges;
    let optional = |name: &str, value: Option<f64>| {
        value.map_or_else(String::new, |value| format!(", {name} {value:.3}"))
    };
    format!(
        "against the truth: {:.0} of {count} parents right{}{}, ancestor F1 {:.3}, Brier {:.3}{}",
        edges.parents_right * count as f64,
        optional("edge AUC", edges.edge_auc),
        optional("path AUC", measured.path_auc),
        edges.ancestor_f1,
        edges.brier,
        optional("calibration error", edges.calibration_error),
    )
}
