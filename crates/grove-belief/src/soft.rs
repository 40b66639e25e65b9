//! Votes with a probability, as language models state them.
//!
//! What a stated probability is worth has to be learnt: most models are too sure of themselves. A band of
//! probabilities is therefore a worker of its own, whose rates are learnt with the hierarchy as everybody's are. That
//! needs no assumption about how stated and true probabilities are related, and a band in which answers turn out to
//! be worthless counts for nothing. And since models share errors, all of them together are one voice: on a question
//! they cast a single vote, whose probability is that of the mean of their log-odds. Ten copies of a model thus say
//! what one of them says.

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

#[cfg(test)]
mod tests {
    use grove_tree::Concept;

    use super::*;
    use crate::{Belief, Ensemble, EnsembleSettings, Evidence, Question, Settings, Vote, Worker};

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
