use grove_belief::{Candidate, Choice, Strategy, Worker, choose, choose_batch};
use grove_store::{Kind, Question};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Error, Follower, Phrase, State, Wording};

/// The random stream from which questions are chosen, distinct from those of the belief.
const CHOICE_STREAM: u64 = 7 << 40;

/// How many names tell whether capitals are usual in a list.
const NAMES: usize = 200;

/// A question for a worker.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AskedQuestion))]
pub struct Asked {
    /// The question by concept numbers, to be sent back with the vote.
    #[serde(flatten)]
    pub question: Question,
    /// The question in words.
    pub text: String,
    /// The same with the places of the names in it.
    #[serde(skip)]
    pub phrase: Phrase,
    /// The name of the upper concept.
    pub upper_name: String,
    /// The definition of the upper concept; may be empty.
    pub upper_definition: String,
    /// The name of the lower concept.
    pub lower_name: String,
    /// The definition of the lower concept; may be empty.
    pub lower_definition: String,
}

impl Asked {
    /// The names and definitions of the two concepts, the lower first, as far as they have a definition.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, &str)> {
        let lower = (self.lower_name.as_str(), self.lower_definition.as_str());
        let upper = (self.upper_name.as_str(), self.upper_definition.as_str());
        [lower, upper].into_iter().filter(|(_, definition)| !definition.trim().is_empty())
    }
}

/// A question with what its answer is expected to tell.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Offer {
    /// The question, in the campaign's numbers.
    pub question: Question,
    /// What the answer is expected to tell, in bits.
    pub gain: f64,
    /// P(upper above lower).
    pub above: f64,
}

impl State {
    /// How questions about the present concepts are worded, with a look at the first of their names.
    ///
    /// # Errors
    /// As [`Wording::new`].
    pub fn wording(&self) -> Result<Wording, Error> {
        Ok(self
            .settings()
            .wording()?
            .for_names(self.concepts().present().take(NAMES).map(|concept| concept.name.as_str())))
    }

    /// A question in words.
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`].
    pub fn ask(&self, question: Question) -> Result<Asked, Error> {
        let concept = |number| self.concepts().get(number).cloned().ok_or(Error::NoSuchConcept(number));
        let (upper, lower) = (concept(question.upper)?, concept(question.lower)?);
        let phrase = self.wording()?.ask(&lower, &upper);
        Ok(Asked {
            question,
            text: phrase.text().to_owned(),
            phrase,
            upper_name: upper.name,
            upper_definition: upper.definition,
            lower_name: lower.name,
            lower_definition: lower.definition,
        })
    }
}

impl Follower {
    /// The best question for one worker, by the settings' strategy; none if they have answered everything.
    pub fn next_for(&self, worker: Worker, excluded: &dyn Fn(Question) -> bool) -> Option<Offer> {
        let (belief, state) = (self.belief()?, self.state());
        let excluded = |question| excluded(state.log_question(question));
        let mut rng = self.choice_rng();
        let choice = choose(belief, state.settings().strategy(), worker, &excluded, &mut rng)?;
        Some(self.offer(choice))
    }

    /// Questions for the next so many workers, whoever they are, the best first: chosen together, so that their answers do not tell the
    /// same.
    pub fn queue(&self, length: usize, excluded: &dyn Fn(Question) -> bool) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let state = self.state();
        let mut rng = self.choice_rng();
        let stranger = self.stranger();
        let strategy = state.settings().strategy();
        if strategy == Strategy::Gain {
            let excluded = |question| excluded(state.log_question(question));
            let chosen = choose_batch(belief, &vec![stranger; length], &excluded, &mut rng);
            return chosen.into_iter().map(|(_, choice)| self.offer(choice)).collect();
        }
        let mut queue: Vec<Offer> = Vec::new();
        while queue.len() < length {
            let taken = |question| {
                let question = state.log_question(question);
                excluded(question) || queue.iter().any(|offer| offer.question == question)
            };
            let Some(choice) = choose(belief, strategy, stranger, &taken, &mut rng) else { break };
            queue.push(self.offer(choice));
        }
        queue
    }

    /// Other questions, sorted by the gain of each alone: for those who have answered all that is in the queue.
    pub fn reserve(&self, length: usize, excluded: &dyn Fn(Question) -> bool) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let (state, rates) = (self.state(), belief.rates(self.stranger()));
        let mut offers: Vec<Offer> = belief
            .candidates()
            .iter()
            .map(|candidate| Offer {
                question: state.log_question(candidate.question),
                gain: candidate.gain(&rates),
                above: candidate.above,
            })
            .filter(|offer| !excluded(offer.question))
            .collect();
        // Ties are broken so that the first concepts are not asked about before all others.
        let mix =
            |offer: &Offer| scramble(u64::from(offer.question.upper) << 32 | u64::from(offer.question.lower));
        offers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| mix(a).cmp(&mix(b))));
        offers.truncate(length);
        offers
    }

    /// The given questions, as far as they can still be asked, the best first.
    pub(crate) fn weigh(&self, questions: impl Iterator<Item = Question>) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let (state, rates) = (self.state(), belief.rates(self.stranger()));
        let weighed = questions.filter_map(|question| {
            let candidate = Candidate::new(belief, state.question(question)?);
            Some(Offer { question, gain: candidate.gain(&rates), above: candidate.above })
        });
        let mut offers: Vec<Offer> = weighed.collect();
        offers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.question.cmp(&b.question)));
        offers
    }

    /// A worker who has not voted yet.
    fn stranger(&self) -> Worker {
        Worker::new(self.state().votes().workers().len() as u32)
    }

    fn offer(&self, choice: Choice) -> Offer {
        let question = self.state().log_question(choice.question);
        Offer { question, gain: choice.gain, above: choice.above }
    }

    /// The same position of the same log chooses the same questions.
    fn choice_rng(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.state().settings().seed);
        rng.set_stream(CHOICE_STREAM + self.state().position().0.unsigned_abs());
        rng
    }
}

/// An order unrelated to that of the numbers: the finisher of SplitMix64 (Steele, Lea and Flood 2014), a bijection.
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A path question in the campaign's numbers.
pub(crate) fn path(upper: u32, lower: u32) -> Question {
    Question { kind: Kind::Path, upper, lower }
}
