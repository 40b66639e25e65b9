use crate::noise::Rates;
use crate::{Candidate, coin_entropy};

impl Candidate {
    /// The expected information gain in bits of an answer by somebody with these rates: H2(P(yes)) minus the mean over hierarchies of H2(P(yes |
    /// hierarchy)).
    ///
    /// Where people differ, P(yes | hierarchy) lies between the rates, and the answer is informative only as far as
    /// the share of people is unknown: to second order, by its variance. So a question that merely divides people is
    /// not asked again once its share is known.
    #[must_use]
    pub fn gain(&self, rates: &Rates) -> f64 {
        let [above, reversed, neither] = rates.by_relation();
        let differ = &self.differ;
        let clear = gain_terms(self.relations(), rates.by_relation());
        if differ.chance == 0.0 {
            return clear.0 - clear.1;
        }
        let [all, reversed_all, _] = self.relations();
        // The hierarchies in which all hold yes, those in which the concepts are reversed, and those in which nobody does.
        let yes = (all - differ.chance * differ.share).max(0.0);
        let no = (1.0 - yes - reversed_all - differ.chance).max(0.0);
        let mean = differ.share * above + (1.0 - differ.share) * neither;
        let curvature = 1.0 / (mean * (1.0 - mean) * std::f64::consts::LN_2);
        let known_share =
            (coin_entropy(mean) - 0.5 * curvature * differ.variance * (above - neither).powi(2)).max(0.0);
        let known = yes * coin_entropy(above)
            + reversed_all * coin_entropy(reversed)
            + no * coin_entropy(neither)
            + differ.chance * known_share;
        (clear.0 - known).max(0.0)
    }
}

/// The gain of a question by the chances of the three relations, and of a yes under each, where people do not differ.
pub(super) fn gain(beliefs: [f64; 3], chances: [f64; 3]) -> f64 {
    let (before, after) = gain_terms(beliefs, chances);
    before - after
}

fn gain_terms(beliefs: [f64; 3], chances: [f64; 3]) -> (f64, f64) {
    let yes: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * chance).sum();
    let known: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * coin_entropy(chance)).sum();
    (coin_entropy(yes), known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Differ, Question};
    use grove_tree::Concept;

    fn candidate(above: f64, differ: Differ) -> Candidate {
        let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
        Candidate { question, above, reversed: 0.0, differ }
    }

    #[test]
    fn a_question_that_only_divides_people_gains_nothing() {
        let rates = Rates::two(0.2, 0.17).unwrap();
        let known = Differ { chance: 1.0, share: 0.6, variance: 0.0 };
        assert!(candidate(0.6, known).gain(&rates) < 1e-12);
        assert!(candidate(0.6, Differ::default()).gain(&rates) > 0.25);
        let unknown = Differ { variance: 0.01, ..known };
        let gain = candidate(0.6, unknown).gain(&rates);
        // Shares of .5 and .7 with equal chances have this variance.
        let yes = |share: f64| share * 0.83 + (1.0 - share) * 0.2;
        let exact = coin_entropy(yes(0.6)) - (coin_entropy(yes(0.5)) + coin_entropy(yes(0.7))) / 2.0;
        assert!((gain / exact - 1.0).abs() < 0.02, "{gain} {exact}");
    }
}
