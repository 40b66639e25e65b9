//! How long the exact engine takes: `cargo bench -p grove-belief --bench exact_speed`.

use std::time::Instant;

use grove_belief::{Answer, Belief, Error, Evidence, Exact, Question, Settings, Vote, Worker};
use grove_tree::Concept;

/// Some votes on a binary tree, every seventh of them wrong, so that every pair has a weight of its own.
fn evidence(count: usize, with_edges: bool) -> Result<Evidence, Error> {
    let mut evidence = Evidence::new(count, Settings::one_rate(0.1)?)?;
    for upper in Concept::all(count) {
        for lower in Concept::all(count).filter(|&lower| lower != upper) {
            let above = std::iter::successors(Some(lower.index() / 2), |at| Some(at / 2))
                .take_while(|&at| at > 0)
                .any(|at| at == upper.index());
            let wrong = (upper.index() * 5 + lower.index()) % 7 == 0;
            let answer = if above != wrong { Answer::Yes } else { Answer::No };
            let worker = Worker::new(0);
            evidence.record(Vote { question: Question::path(upper, lower)?, worker, answer })?;
        }
    }
    if with_edges {
        let question = Question::edge(Concept::new(1), Concept::new(2))?;
        evidence.record(Vote { question, worker: Worker::new(0), answer: Answer::Yes })?;
    }
    Ok(evidence)
}

/// Milliseconds of something done, the best of three.
fn milliseconds(mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(once).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Error> {
    println!("evidence      N    ln Z ms   + all paths ms   + all edges ms   best tree ms");
    for with_edges in [false, true] {
        for count in [10, 12, 15, 16] {
            let exact = Exact::new(evidence(count, with_edges)?)?;
            let first = Concept::new(1);
            let partition = milliseconds(|| assert!(exact.clone().log_partition().is_finite()));
            let paths = milliseconds(|| assert!(exact.clone().path(first, Concept::new(2)) > 0.0));
            let edges = milliseconds(|| assert!(!exact.clone().parents(first).is_empty()));
            let best = milliseconds(|| assert_eq!(exact.clone().best_tree().len(), count));
            let kind = if with_edges { "paths, edges" } else { "paths" };
            println!("{kind:12} {count:2} {partition:10.1} {paths:16.1} {edges:16.1} {best:14.1}");
        }
    }
    Ok(())
}
