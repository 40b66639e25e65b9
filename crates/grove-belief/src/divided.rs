//! Questions that divide people: some hold the upper concept above the lower one, the others do not, and neither err.

use std::sync::OnceLock;

use rand::{Rng, RngExt};

use crate::ballot::{Ballot, Judge};
use crate::noise::Division;

/// The shares of people that a divided question may have: one of twenty, 2.5 % to 97.5 %. A grid instead of a line makes every
/// sum exact, however many votes there are and whatever rates the voters have.
pub(crate) const SHARES: usize = 20;

/// Votes after which the running products are scaled up again; no factor is below the least rate times the least share.
const RESCALE_AFTER: usize = 32;

fn share(at: usize) -> f64 {
    (at as f64 + 0.5) / SHARES as f64
}

/// The chance that a divided pair counts as above in the hierarchy, if a share t of people hold it so: with odds of the square root of t / (1-t).
///
/// People who are divided about a concept are divided between two parents, so two questions are about it, each for one and against
/// the other. The odds of the two together are the odds of people, t / (1-t).
fn counts_as_above(share: f64) -> f64 {
    share.sqrt() / (share.sqrt() + (1.0 - share).sqrt())
}

static COUNTS_AS_ABOVE: OnceLock<[f64; SHARES]> = OnceLock::new();

/// The distribution of the share of people on each side, given the votes on a question that divides people.
///
/// Each voter holds the upper concept above with chance t, the same for all, and then answers with their own rates: P(yes) = t q1 +
/// (1-t) q0. So people who do not read have no influence, and 58 % yes from people who err in one of five answers is a share of
/// 0.6 and not of 0.58. Where only the majority counts, a vote is an opinion.
pub(crate) struct Divided {
    /// Prior times likelihood of each share, in units of e^`ln_unit`.
    weights: [f64; SHARES],
    ln_unit: f64,
}

impl Divided {
    pub(crate) fn new(ballot: &Ballot, judge: Judge<'_>, division: &Division) -> Self {
        let mut divided = Self { weights: *division.prior(), ln_unit: 0.0 };
        match judge {
            Judge::Each(known, others) => {
                for (index, &(worker, yes)) in ballot.votes().iter().enumerate() {
                    divided.multiply(known.get(worker.index()).unwrap_or(others).opinions(yes));
                    if index % RESCALE_AFTER == RESCALE_AFTER - 1 {
                        divided.rescale();
                    }
                }
            }
            Judge::Same(rates) => divided.multiply_all(ballot, [false, true].map(|yes| rates.opinions(yes))),
            Judge::Majority => divided.multiply_all(ballot, [[0.0, 1.0], [1.0, 0.0]]),
        }
        divided
    }

    /// One vote, by its chance if the voter holds the upper above, and if not.
    fn multiply(&mut self, [above, not]: [f64; 2]) {
        for (at, weight) in self.weights.iter_mut().enumerate() {
            *weight *= share(at) * above + (1.0 - share(at)) * not;
        }
    }

    /// All votes of people with the same rates at once.
    fn multiply_all(&mut self, ballot: &Ballot, [no, yes]: [[f64; 2]; 2]) {
        let ln = |at: usize, [above, not]: [f64; 2]| (share(at) * above + (1.0 - share(at)) * not).ln();
        let logs: [f64; SHARES] =
            std::array::from_fn(|at| ballot.yes() as f64 * ln(at, yes) + ballot.no() as f64 * ln(at, no));
        self.ln_unit = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.weights.iter_mut().zip(logs).for_each(|(weight, log)| *weight *= (log - self.ln_unit).exp());
    }

    fn rescale(&mut self) {
        let most = self.weights.iter().copied().fold(0.0, f64::max);
        self.weights.iter_mut().for_each(|weight| *weight /= most);
        self.ln_unit += most.ln();
    }

    /// The weight of a share where the pair counts as above, or not; half of all divided pairs do.
    fn counted(&self, at: usize, above: bool) -> f64 {
        let counts = COUNTS_AS_ABOVE.get_or_init(|| std::array::from_fn(|at| counts_as_above(share(at))))[at];
        2.0 * self.weights[at] * if above { counts } else { 1.0 - counts }
    }

    fn total(&self, above: bool) -> f64 {
        (0..SHARES).map(|at| self.counted(at, above)).sum()
    }

    /// ln A: the chance of the votes on a divided question whose pair counts as above, or not.
    pub(crate) fn log_likelihood(&self, above: bool) -> f64 {
        self.total(above).ln() + self.ln_unit
    }

    /// The expected share of people who hold the upper above.
    pub(crate) fn expected_share(&self, above: bool) -> f64 {
        (0..SHARES).map(|at| self.counted(at, above) * share(at)).sum::<f64>() / self.total(above)
    }

    /// A share drawn from what the votes say. One draw.
    pub(crate) fn draw_share(&self, above: bool, rng: &mut impl Rng) -> f64 {
        let mut left = rng.random::<f64>() * self.total(above);
        let drawn = (0..SHARES).find(|&at| {
            left -= self.counted(at, above);
            left < 0.0
        });
        share(drawn.unwrap_or(SHARES - 1))
    }
}

/// The shares' prior chances: Beta(a, a) on the grid.
pub(crate) fn prior(spread: f64) -> [f64; SHARES] {
    // Relative to the middle, so that no spread, however narrow, underflows everywhere.
    let middle = share(SHARES / 2) * (1.0 - share(SHARES / 2));
    let density: [f64; SHARES] =
        std::array::from_fn(|at| (share(at) * (1.0 - share(at)) / middle).powf(spread - 1.0));
    let total: f64 = density.iter().sum();
    density.map(|density| density / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Worker;
    use crate::ballot::LogRates;
    use crate::noise::Rates;

    fn ballot(votes: impl IntoIterator<Item = bool>) -> Ballot {
        let mut ballot = Ballot::default();
        votes.into_iter().enumerate().for_each(|(voter, yes)| ballot.insert(Worker::new(voter as u32), yes));
        ballot
    }

    #[test]
    fn is_a_likelihood() {
        // Over all patterns of n votes, the chances sum to one, whatever the voters' rates.
        let division = Division::new(0.3, 2.5).unwrap();
        let rates: Vec<LogRates> =
            (0..7).map(|voter| (&Rates::two(0.05 * f64::from(voter), 0.3).unwrap()).into()).collect();
        for n in 0..8_u32 {
            for above in [false, true] {
                let chance = |pattern: u32| {
                    let ballot = ballot((0..n).map(|voter| pattern >> voter & 1 == 1));
                    Divided::new(&ballot, Judge::Each(&rates, &rates[0]), &division)
                        .log_likelihood(above)
                        .exp()
                };
                let total: f64 = (0..1 << n).map(chance).sum();
                assert!((total - 1.0).abs() < 1e-12, "{n}: {total}");
            }
        }
    }

    #[test]
    fn the_narrowest_spread_is_still_a_prior() {
        let total: f64 = prior(1e9).iter().sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }

    #[test]
    fn the_two_ways_of_multiplying_agree_on_many_votes() {
        let (division, rates) = (Division::default(), LogRates::from(&Rates::two(0.2, 0.17).unwrap()));
        let ballot = ballot((0..5_000).map(|voter| voter % 7 < 3));
        let same = Divided::new(&ballot, Judge::Same(&rates), &division);
        let each = Divided::new(&ballot, Judge::Each(&[], &rates), &division);
        for above in [false, true] {
            let (same, each) = (same.log_likelihood(above), each.log_likelihood(above));
            assert!((same / each - 1.0).abs() < 1e-12, "{same} {each}");
        }
    }

    #[test]
    fn noise_is_taken_out_of_the_share() {
        // 58 of 100 from people who say yes to .83 of what they hold and to .2 of what they do not: (.58 - .2) / .63 = .6.
        let rates = LogRates::from(&Rates::two(0.2, 0.17).unwrap());
        let ballot = ballot((0..100).map(|voter| voter < 58));
        let divided = Divided::new(&ballot, Judge::Same(&rates), &Division::default());
        let share = (divided.expected_share(true) + divided.expected_share(false)) / 2.0;
        assert!((share - 0.6).abs() < 0.01, "{share}");
    }
}
