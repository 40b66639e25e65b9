/// One question that both a worker and a reference model have answered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Agreement {
    /// Whether the worker said yes.
    pub worker: bool,
    /// Whether the model said yes.
    pub model: bool,
    /// P(the worker says yes), by the hierarchy and the worker's own rates, if they answer for themselves.
    pub expected: f64,
}

/// How often somebody who copies a model gives its answer: not always, since the wording of what they paste may change it.
const COPIED: f64 = 0.95;
/// How many workers copy, before anything is known about one.
const PRIOR: f64 = 0.05;

/// P(the worker copies the model's answers).
///
/// Two hypotheses are compared: each answer is the model's with probability .95, or it is what the hierarchy and the worker's rates make
/// likely. Where the model is right, both expect the same and nothing is learnt; it is the model's errors that give a copier away. It is a reason to
/// look, never to reject: people and models share errors.
#[must_use]
pub fn follows(answers: &[Agreement]) -> f64 {
    let mut odds = (PRIOR / (1.0 - PRIOR)).ln();
    for answer in answers {
        let copied = if answer.worker == answer.model { COPIED } else { 1.0 - COPIED };
        let yes = if answer.expected.is_finite() { answer.expected.clamp(0.02, 0.98) } else { 0.5 };
        let own = if answer.worker { yes } else { 1.0 - yes };
        odds += (copied / own).ln();
    }
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 60 questions, the model errs in each tenth.
    fn answers(copies: impl Fn(usize) -> bool) -> Vec<Agreement> {
        let one = |at: usize| {
            let truth = at.is_multiple_of(2);
            let model = truth != at.is_multiple_of(10);
            let worker = if copies(at) { model } else { truth };
            Agreement { worker, model, expected: if truth { 0.93 } else { 0.07 } }
        };
        (0..60).map(one).collect()
    }

    #[test]
    fn errors_in_common_give_a_copier_away() {
        assert!(follows(&answers(|_| true)) > 0.99);
        assert!(follows(&answers(|_| false)) < 0.01);
        assert!((follows(&[]) - PRIOR).abs() < 1e-12);
    }

    #[test]
    fn agreeing_where_the_model_is_right_says_little() {
        let right: Vec<Agreement> =
            answers(|_| true).into_iter().filter(|one| (one.expected > 0.5) == one.model).collect();
        let p = follows(&right);
        assert!(p < 0.2, "{p}");
    }
}
