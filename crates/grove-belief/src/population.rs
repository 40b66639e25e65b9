//! How good the people of a crowd are: the distribution that each worker's rates are drawn from.

use std::sync::OnceLock;

use rand::{Rng, RngExt};

use crate::noise::{BetaPrior, LEAST_RATE, Rates, Relation, WorkerPrior};

/// The mean rates of right answers that a crowd may have, all equally probable at first.
pub const POPULATION_MEANS: [f64; 9] = [0.79, 0.82, 0.85, 0.88, 0.91, 0.94, 0.965, 0.98, 0.99];

/// How alike the people of a crowd may be, as the number of imaginary answers that a mean rate stands for; all equally probable at
/// first.
pub const POPULATION_STRENGTHS: [f64; 3] = [4.0, 6.0, 9.0];

/// All distributions of a rate of right answers.
const SHAPES: usize = POPULATION_MEANS.len() * POPULATION_STRENGTHS.len();

/// The distributions of the workers' rates of yes, one per relation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Population([BetaPrior; 3]);

impl Population {
    /// The given distributions, or where they start from if they are learnt.
    pub(crate) fn typical(prior: &WorkerPrior) -> Self {
        Self(Relation::ALL.map(|relation| prior.rate(relation)))
    }

    pub(crate) fn from_rates(rates: [BetaPrior; 3]) -> Self {
        Self(rates)
    }

    /// The distributions of all rates of yes, by relation.
    pub(crate) fn rates(&self) -> &[BetaPrior; 3] {
        &self.0
    }

    /// The distribution of a rate of yes.
    pub(crate) fn rate(&self, relation: Relation) -> BetaPrior {
        self.0[relation as usize]
    }

    /// Draws the population given the rates of all workers, or leaves it as it is if it is given. Two draws at most per relation.
    pub(crate) fn redraw<'r>(
        &mut self,
        prior: &WorkerPrior,
        rates: impl Iterator<Item = &'r Rates> + Clone,
        rng: &mut impl Rng,
    ) {
        if !prior.learns_population() {
            return;
        }
        for relation in Relation::ALL.into_iter().filter(|&relation| prior.class(relation) == relation) {
            let mut sums = LogSums::default();
            rates.clone().filter(|rates| reads(rates)).for_each(|rates| sums.add(right(relation, rates)));
            self.0[relation as usize] = of_yes(relation, shapes()[sums.draw(rng)].beta);
        }
        if prior.class(Relation::Reversed) == Relation::Neither {
            self.0[Relation::Reversed as usize] = self.0[Relation::Neither as usize];
        }
    }
}

/// Whether a worker reads the questions: others have one rate for everything.
fn reads(rates: &Rates) -> bool {
    rates.yes(Relation::Above) != rates.yes(Relation::Neither)
}

/// The rate of right answers: of yes if above, and of no otherwise.
fn right(relation: Relation, rates: &Rates) -> f64 {
    if relation == Relation::Above { rates.yes(relation) } else { 1.0 - rates.yes(relation) }
}

/// The distribution of the rate of yes, by that of right answers.
fn of_yes(relation: Relation, right: BetaPrior) -> BetaPrior {
    if relation == Relation::Above { right } else { BetaPrior { yes: right.no, no: right.yes } }
}

/// A distribution of rates of right answers, with ln of its normaliser between the least rate and the largest.
#[derive(Clone, Copy, Debug)]
struct RateShape {
    beta: BetaPrior,
    log_normaliser: f64,
}

fn shapes() -> &'static [RateShape; SHAPES] {
    static ALL: OnceLock<[RateShape; SHAPES]> = OnceLock::new();
    ALL.get_or_init(|| {
        std::array::from_fn(|at| {
            let mean = POPULATION_MEANS[at / POPULATION_STRENGTHS.len()];
            let strength = POPULATION_STRENGTHS[at % POPULATION_STRENGTHS.len()];
            let beta = BetaPrior { yes: strength * mean, no: strength * (1.0 - mean) };
            RateShape { beta, log_normaliser: log_beta_within(beta) }
        })
    })
}

/// What the likelihood of a distribution needs to know of the rates.
#[derive(Default)]
struct LogSums {
    count: f64,
    right: f64,
    wrong: f64,
}

impl LogSums {
    fn add(&mut self, right: f64) {
        self.count += 1.0;
        self.right += right.ln();
        self.wrong += (-right).ln_1p();
    }

    fn draw(&self, rng: &mut impl Rng) -> usize {
        let logs: [f64; SHAPES] = std::array::from_fn(|at| {
            let RateShape { beta, log_normaliser } = shapes()[at];
            (beta.yes - 1.0) * self.right + (beta.no - 1.0) * self.wrong - self.count * log_normaliser
        });
        draw_by_log(logs, rng)
    }
}

/// Draws one of several, given ln of a multiple of the chance of each.
pub(crate) fn draw_by_log<const N: usize>(logs: [f64; N], rng: &mut impl Rng) -> usize {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chances = logs.map(|log| (log - most).exp());
    let mut left = rng.random::<f64>() * chances.iter().sum::<f64>();
    let drawn = chances.iter().position(|chance| {
        left -= chance;
        left < 0.0
    });
    drawn.unwrap_or(N - 1)
}

/// ln of the integral of x^(a-1) (1-x)^(b-1) between the least rate and one minus it: the Beta function without its two ends.
pub(crate) fn log_beta_within(beta: BetaPrior) -> f64 {
    let BetaPrior { yes, no } = beta;
    let whole = libm::lgamma(yes) + libm::lgamma(no) - libm::lgamma(yes + no);
    let ends = tail(yes, no, whole) + tail(no, yes, whole);
    // Where both ends have nearly everything, the middle is at least as much as its narrowest part.
    whole + (1.0 - ends).max(1e-12).ln()
}

/// The share of the Beta function between 0 and the least rate e: e^a / (a B(a, b)) times the series of (1-x)^(b-1).
fn tail(a: f64, b: f64, log_whole: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..60 {
        let n = f64::from(n);
        term *= LEAST_RATE * (n - b) / n;
        sum += term * a / (a + n);
        if term.abs() < 1e-17 {
            break;
        }
    }
    (a * LEAST_RATE.ln() - a.ln() - log_whole).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Beta, Distribution};

    #[test]
    fn the_beta_function_without_its_ends() {
        for (yes, no) in [(2.0, 3.0), (0.04, 3.96), (0.6, 59.4), (300.0, 5.0), (1.0, 1.0)] {
            // The substitution x = 1 / (1 + e^-t) makes both ends smooth; the trapezoidal rule is then precise.
            let end = ((1.0 - LEAST_RATE) / LEAST_RATE).ln();
            let steps = 200_000;
            let width = 2.0 * end / f64::from(steps);
            let at = |step: i32| {
                let t = -end + width * f64::from(step);
                let x = 1.0 / (1.0 + (-t).exp());
                yes * x.ln() + no * (-x).ln_1p()
            };
            let ends = (at(0).exp() + at(steps).exp()) / 2.0;
            let integral = ((1..steps).map(|step| at(step).exp()).sum::<f64>() + ends) * width;
            let log = log_beta_within(BetaPrior { yes, no });
            assert!((log - integral.ln()).abs() < 1e-6, "{yes} {no}: {log} {}", integral.ln());
        }
    }

    #[test]
    fn good_crowds_are_told_from_poor_ones() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let prior = WorkerPrior::default();
        let mut mean_of = |right: f64| {
            let beta = Beta::new(25.0 * right, 25.0 * (1.0 - right)).unwrap();
            let mut draw = || beta.sample(&mut rng);
            let rates: Vec<Rates> =
                (0..60).map(|_| Rates::two(1.0 - draw(), 1.0 - draw()).unwrap()).collect();
            let mut population = Population::typical(&prior);
            population.redraw(&prior, rates.iter(), &mut rng);
            population.rate(Relation::Above).mean()
        };
        assert!((mean_of(0.95) - 0.95).abs() < 0.03);
        assert!((mean_of(0.8) - 0.8).abs() < 0.04);
    }
}
