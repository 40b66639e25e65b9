//! Votes with a probability, as language models state them.
//!
//! What a stated probability is worth has to be learnt: most models are too sure of themselves. A band of
//! probabilities is therefore a worker of its own, whose rates are learnt with the hierarchy as everybody's are. That
//! needs no assumption about how stated and true probabilities are related, and a band in which answers turn out to
//! be worthless counts for nothing. And since models share errors, all of them together are one voice: on a question
//! they cast a single vote, whose probability is that of the mean of their log-odds. Ten copies of a model thus say
//! what one of them says.
//!
//! A model answers thousands of questions before the first person does, and hardly any of the pairs are one above the
//! other. If its two rates were independent, as people's are, a coin's answers could always be read as those of somebody who
//! says yes to all that is true and to half of what is not: among so many trees some agree with any answers, and
//! people's votes had to outweigh such a tree first (66 concepts: 45 % more of them in four runs). So a model that errs about
//! false statements is assumed to err as often about true ones ([`ModelTally`]); what it says of false ones is plain from the
//! share of yes among all its answers.

use std::sync::OnceLock;

use rand::Rng;

use crate::noise::BetaPrior;
use crate::population::{draw_by_log, log_beta_within};
use crate::{Answer, Error};

/// How sure models are together on a question: bands of the distance of their mean log-odds from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SoftBand(u8);

/// Where bands end: probabilities of 0.62, 0.82 and 0.95.
const ENDS: [f64; 3] = [0.5, 1.5, 3.0];

/// Log-odds are cut off here: a model that states a probability of 1 is not infinitely sure.
const LARGEST: f64 = 6.0;

impl SoftBand {
    /// All bands, the least sure first.
    pub const ALL: [Self; ENDS.len() + 1] = [Self(0), Self(1), Self(2), Self(3)];

    /// The number of the band, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The name of the band, for names of workers.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["unsure", "fairly sure", "sure", "very sure"][self.index()]
    }
}

/// The one vote that several models cast together on a question, by the probabilities of yes that they state; plain answers are probabilities too (a yes
/// of 0.9, say). Record it as the vote of the worker who stands for that band, once per question: when another model answers, withdraw it and record
/// the new one. None if there are no probabilities, or if they cancel out.
///
/// # Errors
/// [`Error::BadRate`] for a probability that is not within 0 and 1.
pub fn soft_vote(probabilities: impl IntoIterator<Item = f64>) -> Result<Option<(SoftBand, Answer)>, Error> {
    let (mut sum, mut count) = (0.0, 0.0);
    for yes in probabilities {
        if !(0.0..=1.0).contains(&yes) {
            return Err(Error::BadRate(yes));
        }
        sum += (yes.ln() - (-yes).ln_1p()).clamp(-LARGEST, LARGEST);
        count += 1.0;
    }
    if count == 0.0 || sum == 0.0 {
        return Ok(None);
    }
    let sure = (sum / count).abs();
    let band = ENDS.iter().take_while(|end| sure >= **end).count();
    Ok(Some((SoftBand(band as u8), if sum > 0.0 { Answer::Yes } else { Answer::No })))
}

/// How often models say yes where they should not: any of so many rates up to one half, all equally probable at first.
const ERRORS: usize = 200;

/// How closely the error about true statements follows that about false ones, as the number of answers that it stands for.
const ALIKE: f64 = 200.0;

/// How many nats less probable than another a rate of errors must be to be left out.
const NEGLIGIBLE: f64 = 100.0;

/// What models have said, by whether it is so in a tree: (no, yes).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelTally {
    pub(crate) above: [f64; 2],
    pub(crate) not_above: [f64; 2],
}

impl ModelTally {
    /// The distribution of the rate of yes to true statements, given that to false ones.
    ///
    /// # Formula
    /// Beta(s (1 - e) + yes, s e + no), where e is the rate for false statements and s = 200.
    pub(crate) fn found(&self, error: f64) -> BetaPrior {
        let BetaPrior { yes, no } = alike(error);
        BetaPrior { yes: yes + self.above[1], no: no + self.above[0] }
    }

    /// The rates of yes to false statements, each with the chance of all answers under it; the rate for true ones is summed out.
    pub(crate) fn errors(&self) -> Errors {
        let [no, yes] = self.not_above;
        let of_false: [f64; ERRORS] =
            std::array::from_fn(|at| yes * assumed()[at].log_error + no * assumed()[at].log_right);
        let most = of_false.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Errors(std::array::from_fn(|at| {
            // After thousands of answers, nearly all rates are out of the question whatever was said of true statements.
            if of_false[at] < most - NEGLIGIBLE {
                return f64::NEG_INFINITY;
            }
            of_false[at] + log_beta_within(self.found(error_at(at))) - assumed()[at].log_normaliser
        }))
    }
}

/// ln of the chance of all answers, for every rate of errors.
pub(crate) struct Errors([f64; ERRORS]);

impl Errors {
    /// ln of the chance of the answers, whatever the rate.
    pub(crate) fn log_total(&self) -> f64 {
        let most = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + (self.0.iter().map(|log| (log - most).exp()).sum::<f64>() / ERRORS as f64).ln()
    }

    /// A rate, drawn given the answers.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> f64 {
        error_at(draw_by_log(self.0, rng))
    }
}

fn error_at(at: usize) -> f64 {
    0.5 * (at as f64 + 0.5) / ERRORS as f64
}

fn alike(error: f64) -> BetaPrior {
    BetaPrior { yes: ALIKE * (1.0 - error), no: ALIKE * error }
}

/// What is needed of every rate of errors: ln of it and of one minus it, and ln of the normaliser of the rate for true statements.
#[derive(Clone, Copy)]
struct Assumed {
    log_error: f64,
    log_right: f64,
    log_normaliser: f64,
}

fn assumed() -> &'static [Assumed; ERRORS] {
    static ALL: OnceLock<[Assumed; ERRORS]> = OnceLock::new();
    ALL.get_or_init(|| {
        std::array::from_fn(|at| {
            let error = error_at(at);
            Assumed {
                log_error: error.ln(),
                log_right: (-error).ln_1p(),
                log_normaliser: log_beta_within(alike(error)),
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use grove_tree::Concept;
    use rand::{RngExt, SeedableRng};
    use rand_distr::Distribution;

    use super::*;
    use crate::{Belief, Ensemble, EnsembleSettings, Evidence, Question, Relation, Settings, Vote, Worker};

    #[test]
    fn probabilities_fall_into_bands() {
        let one = |yes: f64| soft_vote([yes]).unwrap().map(|(band, answer)| (band.index(), answer));
        assert_eq!([0.6, 0.7, 0.9, 0.99, 1.0].map(|yes| one(yes).unwrap().0), [0, 1, 2, 3, 3]);
        assert_eq!((one(0.3), one(0.5)), (Some((1, Answer::No)), None));
        assert_eq!(soft_vote([0.01, 1.0, 0.0]).unwrap(), soft_vote([0.176]).unwrap());
        assert_eq!(soft_vote([]).unwrap(), None);
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(soft_vote([0.5, bad]).is_err());
        }
    }

    /// Draws agree with the posterior as integrated on a fine grid of both rates.
    #[test]
    fn both_rates_are_drawn_from_their_posterior() {
        let said = ModelTally { above: [3.0, 9.0], not_above: [30.0, 12.0] };
        let (mut total, mut sums) = (0.0, [0.0; 2]);
        for error in (0..400).map(|at| (f64::from(at) + 0.5) / 800.0) {
            let (yes, no) = (200.0 * (1.0 - error), 200.0 * error);
            let normaliser = libm::lgamma(yes) + libm::lgamma(no) - libm::lgamma(yes + no);
            for found in (0..1000).map(|at| (f64::from(at) + 0.5) / 1000.0) {
                let log = (yes - 1.0 + 9.0) * f64::ln(found) + (no - 1.0 + 3.0) * f64::ln(1.0 - found)
                    - normaliser
                    + 12.0 * f64::ln(error)
                    + 30.0 * f64::ln(1.0 - error);
                let chance = (log + 60.0).exp();
                total += chance;
                sums[0] += chance * error;
                sums[1] += chance * found;
            }
        }
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let errors = said.errors();
        let draws: Vec<[f64; 2]> = (0..20_000)
            .map(|_| {
                let error = errors.draw(&mut rng);
                let BetaPrior { yes, no } = said.found(error);
                [error, rand_distr::Beta::new(yes, no).unwrap().sample(&mut rng)]
            })
            .collect();
        for (rate, sum) in sums.iter().enumerate() {
            let mean = draws.iter().map(|draw| draw[rate]).sum::<f64>() / draws.len() as f64;
            assert!((mean - sum / total).abs() < 0.003, "{rate}: {mean} {}", sum / total);
        }
    }

    /// How much more often yes is believed to be said of true statements than of false ones, after a coin's answers about every pair.
    fn coin_is_believed_to_know(is_declared: bool) -> f64 {
        let (count, coin) = (40, Worker::new(0));
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut evidence = Evidence::new(count, Settings::default()).unwrap();
        if is_declared {
            evidence.declare_model(coin).unwrap();
        }
        for (upper, lower) in
            Concept::all(count).flat_map(|one| Concept::all(count).map(move |two| (one, two)))
        {
            if let Ok(question) = Question::path(upper, lower) {
                let answer = if rng.random() { Answer::Yes } else { Answer::No };
                evidence.record(Vote { question, worker: coin, answer }).unwrap();
            }
        }
        let belief = Ensemble::new(evidence, EnsembleSettings { trees: 64, moves: 4, seed: 1 }).unwrap();
        let rates = belief.rates(coin);
        rates.yes(Relation::Above) - rates.yes(Relation::Neither)
    }

    #[test]
    fn a_coin_is_not_believed_however_much_it_says() {
        let (declared, as_a_person) = (coin_is_believed_to_know(true), coin_is_believed_to_know(false));
        assert!(declared.abs() < 0.07, "{declared}");
        assert!(as_a_person > 1.5 * declared.abs(), "{as_a_person} {declared}");
    }

    /// The chance that 1 is above 2 after eight people say so, and a number of other voices does not.
    fn above_after(voices: usize) -> f64 {
        let mut evidence = Evidence::new(4, Settings::default()).unwrap();
        let mut vote = |worker: usize, upper: usize, lower: usize, answer: Answer| {
            let question = Question::path(Concept::new(upper), Concept::new(lower)).unwrap();
            evidence.record(Vote { question, worker: Worker::new(worker as u32), answer }).unwrap();
        };
        for person in 0..8 {
            vote(person, 1, 2, Answer::Yes);
            vote(person, 3, 4, Answer::Yes);
            vote(person, 2, 3, Answer::No);
            vote(person, 4, 1, Answer::No);
        }
        for voice in 8..8 + voices {
            vote(voice, 1, 2, Answer::No);
            vote(voice, 3, 4, Answer::Yes);
            vote(voice, 2, 3, Answer::No);
            vote(voice, 4, 1, Answer::No);
        }
        let settings = EnsembleSettings { trees: 400, moves: 16, seed: 3 };
        Ensemble::new(evidence, settings).unwrap().path(Concept::new(1), Concept::new(2))
    }

    #[test]
    fn ten_copies_of_a_wrong_model_do_not_outvote_eight_people() {
        let (band, answer) = soft_vote([0.03; 10]).unwrap().unwrap();
        assert_eq!((band.name(), answer), ("very sure", Answer::No));
        // Together they are one voice; the control has ten of them.
        assert!(above_after(1) > 0.9, "{}", above_after(1));
        assert!(above_after(10) < 0.7, "{}", above_after(10));
    }
}
