use std::collections::HashMap;

/// Scored cases, true and false ones, to measure how well the scores separate them.
///
/// Holds one entry per distinct score and not per case: an ensemble of a few hundred trees gives a few hundred scores,
/// however many pairs there are.
#[derive(Clone, Default, Debug)]
pub(super) struct Ranking {
    /// The bits of a score, to the numbers of true and of false cases with it.
    cases: HashMap<u64, Cases>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Cases {
    yes: u64,
    no: u64,
}

impl Ranking {
    /// # Panics
    /// If the score is not a number.
    pub(super) fn add(&mut self, score: f64, truth: bool) {
        self.add_many(score, truth, 1);
    }

    /// # Panics
    /// If the score is not a number.
    pub(super) fn add_many(&mut self, score: f64, truth: bool, times: u64) {
        assert!(!score.is_nan(), "a score must be a number to be ranked");
        // Negative zero equals zero but has other bits; adding zero makes them the same.
        let cases = self.cases.entry((score + 0.0).to_bits()).or_default();
        *(if truth { &mut cases.yes } else { &mut cases.no }) += times;
    }

    /// The area under the ROC curve: the chance that a true case scores higher than a false one, equal scores counting
    /// half (Mann and Whitney 1947). None if all cases are true, or all false. O(d log d) for d distinct scores.
    pub(super) fn auc(&self) -> Option<f64> {
        let mut ranked: Vec<(f64, Cases)> =
            self.cases.iter().map(|(&bits, &cases)| (f64::from_bits(bits), cases)).collect();
        ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut yes, mut no, mut won) = (0, 0, 0.0);
        for (_, cases) in ranked {
            won += cases.yes as f64 * (no as f64 + cases.no as f64 / 2.0);
            yes += cases.yes;
            no += cases.no;
        }
        (yes > 0 && no > 0).then(|| won / (yes as f64 * no as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, pair by pair, with what an equal score counts.
    fn by_definition(cases: &[(f64, bool)], tie: f64) -> Option<f64> {
        let scores = |truth| cases.iter().filter(move |case| case.1 == truth).map(|case| case.0);
        let duel = |yes: f64, no: f64| match yes.total_cmp(&no) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => tie,
            std::cmp::Ordering::Greater => 1.0,
        };
        let duels: Vec<f64> =
            scores(true).flat_map(|yes| scores(false).map(move |no| duel(yes, no))).collect();
        (!duels.is_empty()).then(|| duels.iter().sum::<f64>() / duels.len() as f64)
    }

    fn ranked(cases: &[(f64, bool)]) -> Option<f64> {
        let mut ranking = Ranking::default();
        for &(score, truth) in cases {
            ranking.add(score, truth);
        }
        ranking.auc()
    }

    proptest! {
        #[test]
        fn is_the_share_of_duels_won(cases in prop::collection::vec((0_u8..6, any::<bool>()), 0..40)) {
            let cases: Vec<(f64, bool)> = cases.iter().map(|&(score, truth)| (f64::from(score) / 5.0, truth)).collect();
            match (ranked(&cases), by_definition(&cases, 0.5)) {
                (Some(fast), Some(slow)) => prop_assert!((fast - slow).abs() < 1e-12),
                (fast, slow) => prop_assert_eq!(fast, slow),
            }
        }
    }

    #[test]
    fn ties_count_half_and_nothing_else() {
        // True 0.5 and 0.2 against false 0.5 and 0: half, one, nothing, one.
        let cases = [(0.5, true), (0.2, true), (0.5, false), (-0.0, false)];
        assert_eq!(ranked(&cases), Some(2.5 / 4.0));
        assert_ne!(ranked(&cases), by_definition(&cases, 0.0));
        assert_ne!(ranked(&cases), by_definition(&cases, 1.0));
        assert_eq!(ranked(&[(0.0, true), (-0.0, false)]), Some(0.5));
        assert_eq!(ranked(&[(0.3, true), (0.9, true)]), None);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let mut ranking = Ranking::default();
        ranking.add(0.4, true);
        ranking.add(0.7, false);
        ranking.add_many(0.0, false, 3);
        assert_eq!(ranking.auc(), Some(0.75));
    }
}
