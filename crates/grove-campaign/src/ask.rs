use grove_belief::{
    Asking, Belief, Candidate, Choice, Forecast, Form, ScreenChoice, Seconds, StopReason, Strategy, Worker,
    choose, choose_batch, choose_screen, choose_screen_batch,
};
use grove_store::{Kind, Question, Response, Screen, VoteId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Error, Follower, Noun, Phrase, State, VoteState, Wording};

/// The random stream from which questions are chosen, distinct from those of the belief.
const CHOICE_STREAM: u64 = 7 << 40;

/// A worker who gave this many of the last answers in a row is expected to give the next one too.
const LAST: usize = 10;

/// How many names are examined to find out whether capitals are usual in a list.
const NAMES: usize = 200;

/// A screen for a worker, in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AskedScreen))]
pub struct Asked {
    /// The screen by concept numbers, with its options in the order to show them in; to be sent back with the answer.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = grove_vocabulary::ScreenFields<u32>))]
    pub screen: Screen,
    /// The question in words.
    pub text: String,
    /// The same text with the positions of the names in it.
    #[serde(skip)]
    pub phrase: Phrase,
    /// The concepts that are shown: the one asked about first (for yes/no the lower one), then the others in order.
    pub concepts: Vec<ShownConcept>,
    /// To be sent back with the answer: it proves that this worker was asked this question. Valid for a day.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ticket: String,
}

/// A concept as a worker is shown it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShownConcept {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its definition; may be empty.
    pub definition: String,
}

impl Asked {
    /// A screen in words, without a ticket. `concept` finds a concept by its number, as it stands in a sentence and as it is shown.
    ///
    /// # Errors
    /// Those of `concept`.
    pub fn new<'c>(
        screen: Screen,
        wording: &Wording,
        concept: impl Fn(u32) -> Result<(Noun<'c>, ShownConcept), Error>,
    ) -> Result<Self, Error> {
        let noun = |number: u32| concept(number).map(|(noun, _)| noun);
        let phrase = match &screen {
            Screen::YesNo(question) => wording.ask(noun(question.lower)?, noun(question.upper)?),
            Screen::Pick { lower, .. } => wording.pick(noun(*lower)?),
            Screen::Tick { upper, .. } => wording.tick(noun(*upper)?),
            Screen::Place { lower } => wording.place(noun(*lower)?),
        };
        let shown = |number: &u32| concept(*number).map(|(_, shown)| shown);
        let concepts = screen.concepts().map(shown).collect::<Result<_, Error>>()?;
        Ok(Self { text: phrase.text().to_owned(), phrase, concepts, screen, ticket: String::new() })
    }

    /// The names and definitions of those concepts that have a definition.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = self.concepts.iter().map(|concept| (concept.name.as_str(), concept.definition.as_str()));
        named.filter(|(_, definition)| !definition.trim().is_empty())
    }

    /// The options of a pick or a tick.
    #[must_use]
    pub fn options(&self) -> &[ShownConcept] {
        &self.concepts[self.concepts.len() - self.screen.options().len()..]
    }
}

/// A screen with the expected information gain of its answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Offer {
    /// The screen, in the campaign's numbers.
    #[serde(rename = "question")]
    pub screen: Screen,
    /// The expected information gain of the answer, in bits.
    pub gain: f64,
    /// How many seconds it takes.
    #[serde(default = "yes_no_seconds")]
    pub seconds: f64,
}

/// The seconds of an offer that was stored before there were other forms.
fn yes_no_seconds() -> f64 {
    Seconds::default().yes_no
}

impl Offer {
    /// The gain per second, by which screens are compared.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.gain / self.seconds
    }
}

/// What it takes to reach the target, or the paper's red line if there is no target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// How many screens.
    pub screens: f64,
    /// How many seconds of people's time.
    pub seconds: f64,
}

impl State {
    /// How questions about the present concepts are worded. The first names show whether capitals are usual in the
    /// list.
    ///
    /// # Errors
    /// As [`Wording::new`].
    pub fn wording(&self) -> Result<Wording, Error> {
        Ok(self
            .settings()
            .wording()?
            .for_names(self.concepts().present().take(NAMES).map(|concept| concept.name.as_str())))
    }

    /// A screen in words.
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`].
    pub fn ask(&self, screen: impl Into<Screen>) -> Result<Asked, Error> {
        Asked::new(screen.into(), &self.wording()?, |number| {
            let concept = self.concepts().get(number).ok_or(Error::NoSuchConcept(number))?;
            let (name, definition) = (concept.name.clone(), concept.definition.clone());
            Ok((concept.into(), ShownConcept { number, name, definition }))
        })
    }

    /// The part of a screen that a worker has not yet been shown in the same form, without options that are gone;
    /// none if nothing is left to ask.
    pub(crate) fn unanswered(&self, worker: Worker, mut screen: Screen) -> Option<Screen> {
        let evidence = self.evidence()?;
        let form = screen.form();
        let is_new = |upper: u32, lower: u32| {
            let number = |concept| self.concepts().belief_number(concept);
            let pair = number(upper).zip(number(lower)).filter(|(upper, lower)| upper != lower);
            pair.is_some_and(|(upper, lower)| !evidence.was_shown(worker, form, upper, lower))
        };
        match &mut screen {
            Screen::YesNo(question) => {
                let resolved = self.question(*question)?;
                return (!evidence.has_answered(worker, resolved)).then_some(screen);
            }
            Screen::Place { lower } => return is_new(0, *lower).then_some(screen),
            Screen::Pick { lower, options } => options.retain(|upper| is_new(*upper, *lower)),
            Screen::Tick { upper, options } => options.retain(|lower| is_new(*upper, *lower)),
        }
        form.options().contains(&screen.options().len()).then_some(screen)
    }

    /// An earlier answer of a worker to another screen that shows one of the pairs of this one in the same form: each
    /// pair may be answered once. (The store checks that the same screen is answered only once.)
    pub(crate) fn overlapping(&self, response: &Response) -> Option<VoteId> {
        let Response { worker, screen, .. } = response;
        let left = self.unanswered(self.votes().worker(worker), screen.clone());
        if left.is_some_and(|left| left.options().len() == screen.options().len()) {
            return None;
        }
        let (topic, same) = (screen.topic(), screen.clone().in_order());
        let overlaps = |vote: &&VoteState| {
            let other = &vote.response.screen;
            vote.response.worker == *worker
                && other.topic() == topic
                && other.options().iter().any(|one| screen.options().contains(one))
                && other.clone().in_order() != same
        };
        self.votes().standing().find(overlaps).map(|vote| vote.id)
    }

    /// How long people take for each form: the median time of the answers that count, once there are ten. Times above
    /// ten minutes (the person was doing something else) and below a third of a second (nobody reads that fast) are
    /// ignored.
    #[must_use]
    pub fn seconds(&self) -> Seconds {
        let concepts = self.concepts().count();
        let timed = self.votes().alive().filter_map(|vote| {
            let took = vote.took_ms.filter(|took| (333..=600_000).contains(took))?;
            let screen = &vote.response.screen;
            Some((screen.form(), screen.options().len(), concepts, f64::from(took) / 1e3))
        });
        Seconds::default().fitted(timed)
    }
}

impl Follower {
    /// The best screen for one worker, by the settings' forms and strategy; none if nothing is left to show them.
    pub fn next_for(&self, worker: Worker, excluded: &dyn Fn(&Screen) -> bool) -> Option<Offer> {
        self.next_by(self.state().settings().asking(self.state().seconds()), worker, excluded)
    }

    /// The same for somebody who wants to go on: places that are known well enough are asked about too.
    pub fn next_beyond(&self, worker: Worker, excluded: &dyn Fn(&Screen) -> bool) -> Option<Offer> {
        let asking = self.state().settings().asking(self.state().seconds());
        self.next_by(Asking { known_from: 1.0, ..asking }, worker, excluded)
    }

    fn next_by(&self, asking: Asking, worker: Worker, excluded: &dyn Fn(&Screen) -> bool) -> Option<Offer> {
        let (belief, state) = (self.belief()?, self.state());
        let (settings, mut rng) = (state.settings(), self.choice_rng());
        if settings.is_yes_no_alone() && asking.known_from >= 1.0 {
            let excluded = |question| excluded(&state.log_question(question).into());
            let choice = choose(belief, settings.strategy(), worker, &excluded, &mut rng)?;
            return Some(self.offer_question(choice.question, choice.gain, state.seconds().yes_no));
        }
        let excluded = |screen: &grove_belief::Screen| excluded(&state.log_screen(screen.clone()));
        choose_screen(belief, &asking, worker, &excluded, &mut rng).map(|choice| self.offer(choice))
    }

    /// Screens for the next `length` workers, best first, chosen jointly so that their answers are not redundant.
    /// They are followed by other screens that were considered, each ranked by its own gain.
    pub fn queue(&self, length: usize, excluded: &dyn Fn(&Screen) -> bool) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let state = self.state();
        let (settings, mut rng) = (state.settings(), self.choice_rng());
        if settings.is_yes_no_alone() {
            return self.question_queue(length, &|question| excluded(&question.into()));
        }
        let asking = settings.asking(state.seconds());
        let excluded = |screen: &grove_belief::Screen| excluded(&state.log_screen(screen.clone()));
        let choices = choose_screen_batch(belief, &asking, self.next_worker(), length, &excluded, &mut rng);
        choices.into_iter().map(|choice| self.offer(choice)).collect()
    }

    fn question_queue(&self, length: usize, excluded: &dyn Fn(Question) -> bool) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let state = self.state();
        let mut rng = self.choice_rng();
        let (stranger, seconds) = (self.stranger(), state.seconds().yes_no);
        let strategy = state.settings().strategy();
        if strategy == Strategy::Gain {
            let excluded = |question| excluded(state.log_question(question));
            let chosen = choose_batch(belief, &vec![stranger; length], &excluded, &mut rng);
            let offer = |(_, choice): (_, Choice)| self.offer_question(choice.question, choice.gain, seconds);
            return chosen.into_iter().map(offer).collect();
        }
        let mut queue: Vec<Offer> = Vec::new();
        while queue.len() < length {
            let taken = |question| {
                let question = state.log_question(question);
                excluded(question) || queue.iter().any(|offer| offer.screen.question() == Some(&question))
            };
            let Some(choice) = choose(belief, strategy, stranger, &taken, &mut rng) else { break };
            queue.push(self.offer_question(choice.question, choice.gain, seconds));
        }
        queue
    }

    /// Yes/no questions worth asking, sorted by their individual gain, for workers who have answered everything in
    /// the queue. Empty if the settings do not allow yes/no questions.
    pub fn reserve(&self, length: usize, excluded: &dyn Fn(&Screen) -> bool) -> Vec<Offer> {
        let (state, settings) = (self.state(), self.state().settings());
        let Some(belief) = self.belief().filter(|_| settings.forms.contains(&Form::YesNo)) else {
            return Vec::new();
        };
        let (rates, least) = (belief.rates(self.stranger()), settings.least_gain_per_second.unwrap_or(0.0));
        let seconds = state.seconds().yes_no;
        let mut offers: Vec<(Question, f64)> = belief
            .candidates()
            .iter()
            .map(|candidate| (state.log_question(candidate.question), candidate.gain(&rates)))
            .filter(|(question, gain)| gain / seconds >= least && !excluded(&(*question).into()))
            .collect();
        // Ties are broken so that the first concepts are not asked about before all others.
        let mix = |question: &Question| scramble(u64::from(question.upper) << 32 | u64::from(question.lower));
        offers.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| mix(&a.0).cmp(&mix(&b.0))));
        offers.truncate(length);
        let offer = |(question, gain): (Question, f64)| Offer { screen: question.into(), gain, seconds };
        offers.into_iter().map(offer).collect()
    }

    /// Those of the given questions that can still be asked, best first.
    pub(crate) fn weigh(&self, questions: impl Iterator<Item = Question>) -> Vec<Offer> {
        let Some(belief) = self.belief() else { return Vec::new() };
        let (state, rates) = (self.state(), belief.rates(self.stranger()));
        let seconds = state.seconds().yes_no;
        let weighed = questions.filter_map(|question| {
            let candidate = Candidate::new(belief, state.question(question)?);
            Some(self.offer_question(candidate.question, candidate.gain(&rates), seconds))
        });
        let mut offers: Vec<Offer> = weighed.collect();
        offers.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| a.screen.cmp(&b.screen)));
        offers
    }

    /// The best screen for a worker about whom nothing is known, leases ignored: the campaign decides by it whether
    /// to go on.
    pub(crate) fn best(&self) -> Option<Offer> {
        self.best_by(self.belief()?)
    }

    /// The same by another belief over the same evidence.
    pub(crate) fn best_by(&self, belief: &dyn Belief) -> Option<Offer> {
        let state = self.state();
        if state.settings().is_yes_no_alone() {
            let (strategy, stranger) = (state.settings().strategy(), self.stranger());
            let choice = choose(belief, strategy, stranger, &|_| false, &mut self.choice_rng())?;
            return Some(self.offer_question(choice.question, choice.gain, state.seconds().yes_no));
        }
        let asking = state.settings().asking(state.seconds());
        let choice = choose_screen(belief, &asking, self.stranger(), &|_| false, &mut self.choice_rng())?;
        Some(self.offer(choice))
    }

    /// Why asking should end by the settings' rules, given the best screen; none if it should go on.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn stop_reason(
        &self,
        belief: &dyn Belief,
        best: Option<&Offer>,
    ) -> Result<Option<StopReason>, Error> {
        let state = self.state();
        let rules = state.settings().stop_rules()?;
        let reason = rules.should_stop(belief, state.spent(), best.map(|best| best.gain));
        // One concept alone has one place.
        let may_be_worthless =
            state.settings().least_gain_per_second.is_some() && state.concepts().count() > 1;
        let choice = best.and_then(|best| {
            let screen = state.screen(best.screen.clone())?;
            Some(ScreenChoice { screen, gain: best.gain, seconds: best.seconds })
        });
        Ok(reason.or_else(|| may_be_worthless.then(|| rules.is_worthless(choice.as_ref()))?))
    }

    /// How many screens and seconds it takes until the target is reached, or until no place is doubtful, assuming
    /// that every screen gains as much as the best one does now; none if nothing can be learnt.
    #[must_use]
    pub fn estimate(&self, best: Option<&Offer>) -> Option<Estimate> {
        let (belief, best) = (self.belief()?, best?);
        let screens = Forecast::of(belief, self.state().settings().aim(), best.gain).questions?;
        Some(Estimate { screens, seconds: screens * best.seconds })
    }

    /// How many screens and seconds are left for whoever answers next, as [`Follower::estimate`]; zero if nothing
    /// worth asking is left.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn effort_left(&self) -> Result<Option<Estimate>, Error> {
        let Some(belief) = self.belief().filter(|_| self.state().concepts().count() > 1) else {
            return Ok(None);
        };
        let best = self.next_for(self.next_worker(), &|_| false);
        match self.stop_reason(belief, best.as_ref())? {
            Some(_) => Ok(Some(Estimate { screens: 0.0, seconds: 0.0 })),
            // A screen that is worth showing is left, even if no place is doubtful.
            None => Ok(self.estimate(best.as_ref()).zip(best).map(|(estimate, best)| Estimate {
                screens: estimate.screens.max(1.0),
                seconds: estimate.seconds.max(best.seconds),
            })),
        }
    }

    /// Whoever answers next: the worker who gave all of the last answers, if it was one; somebody new otherwise.
    fn next_worker(&self) -> Worker {
        let votes = self.state().votes();
        let mut last = votes.alive().rev().take(LAST).map(|vote| &vote.response.worker);
        match last.next() {
            Some(worker) if last.all(|other| other == worker) => votes.worker(worker),
            _ => self.stranger(),
        }
    }

    /// A worker who has not voted yet.
    fn stranger(&self) -> Worker {
        self.state().votes().stranger()
    }

    fn offer(&self, ScreenChoice { screen, gain, seconds }: ScreenChoice) -> Offer {
        Offer { screen: self.state().log_screen(screen), gain, seconds }
    }

    fn offer_question(&self, question: grove_belief::Question, gain: f64, seconds: f64) -> Offer {
        Offer { screen: self.state().log_question(question).into(), gain, seconds }
    }

    /// The same position of the same log chooses the same questions.
    fn choice_rng(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.state().settings().seed);
        rng.set_stream(CHOICE_STREAM + self.state().position().0.unsigned_abs());
        rng
    }
}

/// An order unrelated to that of the numbers: the finisher of SplitMix64 (Steele, Lea and Flood 2014), a bijection.
pub(crate) fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A path question in the campaign's numbers.
pub(crate) fn path(upper: u32, lower: u32) -> Question {
    Question { kind: Kind::Path, upper, lower }
}
