//! Which screen to show next, of all forms: the one with the most expected gain per second.

use std::collections::{BTreeMap, HashMap, HashSet};

use grove_tree::{Concept, Tree};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::largest;
use super::seconds::Seconds;
use crate::belief::settled;
use crate::evidence::placed;
use crate::factors::{Above, Factor, Said};
use crate::form_rates::FormRates;
use crate::report::was_asked_between;
use crate::{Belief, Candidate, Form, Kind, Question, Reply, Screen, Worker};

/// One of the hierarchies that a belief holds possible, with the concepts that people place differently in it.
#[derive(Clone, Debug)]
pub struct View {
    parents: Vec<Concept>,
    /// The concept, its second place, and the share of people who hold it.
    divided: Vec<(Concept, Concept, f64)>,
}

impl View {
    pub(crate) fn new(tree: &Tree, divided: Vec<(Concept, Concept, f64)>) -> Self {
        let parents = std::iter::once(Concept::ROOT).chain(tree.parents().iter().copied()).collect();
        Self { parents, divided }
    }

    /// What is above a concept, from its parent up, without the root: for most people, and for the share that holds another place.
    pub(super) fn above(&self, concept: Concept) -> Standing {
        let first = self.climb(self.parents[concept.index()]);
        let around = self.divided.iter().find(|(top, ..)| *top == concept || first.contains(top));
        let second = around.map(|&(top, second, share)| {
            let mut above = Vec::new();
            if top != concept {
                above.extend(first.iter().copied().take_while(|one| *one != top));
                above.push(top);
            }
            above.extend(self.climb(second));
            (share, above)
        });
        (first, second)
    }

    fn climb(&self, from: Concept) -> Vec<Concept> {
        std::iter::successors(Some(from), |one| Some(self.parents[one.index()]))
            .take_while(|one| !one.is_root())
            .collect()
    }
}

/// Which forms may be used, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Asking {
    /// The forms that may be used.
    pub forms: Vec<Form>,
    /// The most options of a pick; no more than the form has.
    pub most_picks: usize,
    /// The most boxes of a tick; no more than the form has.
    pub most_ticks: usize,
    /// How long each form takes.
    pub seconds: Seconds,
    /// A concept whose place is at least this certain is no longer asked about: the only remaining doubt is that the
    /// answers so far were slips.
    pub known_from: f64,
}

impl Asking {
    /// Asks in these forms, with as many options as they have.
    #[must_use]
    pub fn with(forms: &[Form]) -> Self {
        Self {
            forms: forms.to_vec(),
            most_picks: *Form::Pick.options().end(),
            most_ticks: *Form::Tick.options().end(),
            seconds: Seconds::default(),
            known_from: 1.0,
        }
    }

    /// One person who owns the hierarchy: all forms. What follows from their answers is not asked again.
    #[must_use]
    pub fn owner() -> Self {
        Self { known_from: KNOWN_TO_OWNER, ..Self::with(&Form::ALL) }
    }

    /// Many people, who do not know all concepts: yes/no, pick and tick.
    #[must_use]
    pub fn crowd() -> Self {
        Self::with(&[Form::YesNo, Form::Pick, Form::Tick])
    }

    /// The paper's questions alone.
    #[must_use]
    pub fn paper() -> Self {
        Self::with(&[Form::YesNo])
    }

    /// The certainty from which a place counts as known with these forms.
    fn effective_known_from(&self) -> f64 {
        let share = if self.forms.contains(&Form::Place) { 1.0 } else { DOUBT_WITHOUT_PLACES };
        1.0 - share * (1.0 - self.known_from)
    }
}

/// The screen chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct ScreenChoice {
    /// What to show; the options are in random order.
    pub screen: Screen,
    /// The expected information gain of the reply, in bits.
    pub gain: f64,
    /// How long it takes.
    pub seconds: f64,
}

impl ScreenChoice {
    /// The gain per second, by which screens are compared.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.gain / self.seconds
    }

    /// The score by which screens for one person are compared: the gain per second, and more for a place with a large
    /// gain. A place settles its concept, whereas a tick or a pick of the same gain leaves a remainder that takes
    /// another screen: with all forms allowed, choosing by gain per second alone takes a quarter more screens.
    fn merit(&self) -> f64 {
        let settles = self.screen.form() == Form::Place && self.gain >= LEAST_PLACE;
        if settles { PLACE_BONUS * self.rate() } else { self.rate() }
    }

    /// Puts the options in random order.
    pub(super) fn shuffle(&mut self, rng: &mut dyn Rng) {
        if let Screen::Pick { options, .. } | Screen::Tick { options, .. } = &mut self.screen {
            options.shuffle(rng);
        }
    }
}

/// A place that gains at least this many bits counts this many times.
const LEAST_PLACE: f64 = 1.0;
const PLACE_BONUS: f64 = 1.5;

/// From this certainty on, a place counts as known from the answers of a careful person, who errs once in a hundred
/// answers.
pub const KNOWN_TO_OWNER: f64 = 0.95;

/// Where concepts cannot be placed, this share of the doubt that is left otherwise: a place settles a concept in one answer, but without places its
/// certainty comes from several answers, each of which may be a slip. With slips in 2 % of the answers, 11 of 452 concepts of four lists were wrong
/// at .9 or more with the same doubt, and 4 with this share of it, for a tenth more screens.
const DOUBT_WITHOUT_PLACES: f64 = 0.6;

/// A place that nobody was asked about is worth a question from this chance on. On 26 foods, garlic and onion were held
/// to be bulbs with .92 to .96 although nobody had been asked whether they are alliums, which had a chance of .01 to .03
/// because few concepts have others below them.
const LEAST_RIVAL: f64 = 0.01;

/// The gain, in bits, at which a question about a presumed place is asked at the latest. Classical guitars were directly
/// under *guitar* with a certainty of 1.00 as long as nobody was asked whether they are acoustic guitars: few concepts
/// have others below them, and names that end in *guitar* had all been right. By the belief, such a question gains next
/// to nothing.
const PRESUMED_GAIN: f64 = 0.1;

/// A concept is not presumed to be beside its siblings if people were asked about so many of them; and how many siblings
/// are looked at.
const ENOUGH_SIBLINGS: usize = 8;
const MOST_SIBLINGS: usize = 24;

/// The chance that somebody who answers alone and was not sure about a concept is sure when asked about it in another
/// way.
const SURE_AGAIN: f64 = 0.25;

/// How many of the least certain concepts places are considered for.
const LEAST_CERTAIN: usize = 40;

/// How many concepts picks are considered for: those whose picks seem to gain most.
const MOST_PROMISING: usize = 40;

/// How many concepts compete as options of one pick: those that are most often above.
const MOST_RIVALS: usize = 24;

/// For how many upper concepts ticks are considered, by the gains of their boxes one by one.
const MOST_UPPERS: usize = 6;

/// A box alone gains at least this, in bits.
const LEAST_BOX: f64 = 1e-3;

/// Chooses the next screen for a worker: the one with the most expected gain per second over all forms allowed. Nobody is shown a pair twice in the
/// same form. `None` if nothing is left to show.
///
/// # Formula
/// The gain is H(reply) - H(reply | hierarchy), in bits, over the hierarchies of [`Belief::views`]. A pick is made for each of the 40 most promising
/// concepts, by adding one option after the other, that which raises the gain most, as long as the gain per second rises. The boxes of a tick are
/// those of one upper concept that gain most alone, without any two of which one is likely above the other.
pub fn choose_screen(
    belief: &dyn Belief,
    asking: &Asking,
    worker: Worker,
    excluded: &dyn Fn(&Screen) -> bool,
    rng: &mut dyn Rng,
) -> Option<ScreenChoice> {
    Chooser::new(belief, asking, worker, rng).choose(excluded, rng)
}

/// Chooses a screen for each of several workers who answer at the same time. No concept is asked about twice, so that
/// they do not answer the same question. Workers for whom nothing is left are skipped.
pub fn choose_screens(
    belief: &dyn Belief,
    asking: &Asking,
    workers: &[Worker],
    excluded: &dyn Fn(&Screen) -> bool,
    rng: &mut dyn Rng,
) -> Vec<(Worker, ScreenChoice)> {
    let mut chosen: Vec<(Worker, ScreenChoice)> = Vec::new();
    for &worker in workers {
        let taken = |screen: &Screen| {
            let subject = screen.concepts().next();
            excluded(screen) || chosen.iter().any(|(_, other)| other.screen.concepts().next() == subject)
        };
        if let Some(choice) = choose_screen(belief, asking, worker, &taken, rng) {
            chosen.push((worker, choice));
        }
    }
    chosen
}

/// What is above a concept in one view: for most people, and for a share.
pub(super) type Standing = (Vec<Concept>, Option<(f64, Vec<Concept>)>);

/// Lower concepts with their gains alone.
type Boxes = Vec<(f64, Concept)>;

pub(super) struct Chooser<'a> {
    pub(super) belief: &'a dyn Belief,
    asking: &'a Asking,
    pub(super) worker: Worker,
    pub(super) views: Vec<View>,
    pub(super) rates: FormRates,
    pub(super) count: usize,
    /// By concept: whether there is something to ask about what is above it.
    open: Vec<bool>,
    /// By concept: how often the worker was not sure about it.
    unsure: HashMap<Concept, i32>,
    /// The settled concepts that may be under one of their siblings, about which nobody was asked, and those siblings.
    presumed: Vec<(Concept, Vec<Concept>)>,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(belief: &'a dyn Belief, asking: &'a Asking, worker: Worker, rng: &mut dyn Rng) -> Self {
        let rates = belief.form_rates(worker);
        let (views, count) = (belief.views(rng), belief.evidence().count());
        let (mut open, mut presumed, mut unsure) = (vec![true; count + 1], Vec::new(), HashMap::new());
        let known_from = asking.effective_known_from();
        if known_from < 1.0 {
            let hierarchy = belief.best_tree();
            open = open_concepts(belief, &hierarchy, known_from, &views);
            presumed = presumed_places(belief, &hierarchy, &open);
            let own = belief.evidence().responses().map(|(_, response)| response);
            for said in own.filter(|said| said.worker == worker && said.reply == Reply::CantSay) {
                *unsure.entry(subject(&said.screen)).or_default() += 1;
            }
        }
        Self { belief, asking, worker, views, rates, count, open, unsure, presumed }
    }

    fn is_open(&self, concept: Concept) -> bool {
        self.open[concept.index()]
    }

    fn choose(&self, excluded: &dyn Fn(&Screen) -> bool, rng: &mut dyn Rng) -> Option<ScreenChoice> {
        let mut best: Option<ScreenChoice> = None;
        self.consider(1, excluded, rng, |choice| {
            if best.as_ref().is_none_or(|best| choice.merit() > best.merit()) && !excluded(&choice.screen) {
                best = Some(choice);
            }
        });
        let mut best = best?;
        best.shuffle(rng);
        Some(best)
    }

    /// Calls `offer` with every screen worth considering, among them at most `questions` yes/no questions. Only the
    /// latter are checked against `excluded`.
    pub(super) fn consider(
        &self,
        questions: usize,
        excluded: &dyn Fn(&Screen) -> bool,
        rng: &mut dyn Rng,
        mut offer: impl FnMut(ScreenChoice),
    ) {
        let may = |form: Form| self.asking.forms.contains(&form);
        let mut offer = |screen: Screen, gain: f64| {
            let seconds = self.asking.seconds.of_screen(&screen, self.count);
            let unsure = self.unsure.get(&subject(&screen)).copied().unwrap_or_default();
            offer(ScreenChoice { screen, gain: gain * SURE_AGAIN.powi(unsure), seconds });
        };
        let mut candidates =
            if may(Form::YesNo) || may(Form::Tick) { self.belief.candidates() } else { Vec::new() };
        candidates.retain(|one| self.is_open(one.question.lower));
        if may(Form::YesNo) {
            let rates = self.belief.rates(self.worker);
            let open: Vec<Candidate> = candidates
                .iter()
                .filter(|one| {
                    !self.belief.evidence().has_answered(self.worker, one.question)
                        && !excluded(&one.question.into())
                })
                .copied()
                .collect();
            for candidate in best_questions(open, questions, |one| one.gain(&rates)) {
                offer(candidate.question.into(), candidate.gain(&rates));
            }
        }
        if may(Form::Place) {
            for lower in self.least_certain() {
                if !self.was_shown(Form::Place, Concept::ROOT, lower) {
                    offer(Screen::Place { lower }, self.place_gain(&self.standings(lower)));
                }
            }
        }
        for (lower, siblings) in &self.presumed {
            let lower = *lower;
            if may(Form::Place) {
                if !self.was_shown(Form::Place, Concept::ROOT, lower) {
                    offer(Screen::Place { lower }, PRESUMED_GAIN);
                }
                continue;
            }
            let not_shown = siblings.iter().copied().filter(|&one| !self.was_shown(Form::Pick, one, lower));
            let options: Vec<Concept> = not_shown.take(self.asking.most_picks).collect();
            if may(Form::Pick) && options.len() >= *Form::Pick.options().start() {
                offer(Screen::Pick { lower, options }, PRESUMED_GAIN);
            } else if may(Form::YesNo) {
                let mut questions = siblings.iter().map(|&upper| Question { upper, lower, kind: Kind::Path });
                let is_new = |one: &Question| !self.belief.evidence().has_answered(self.worker, *one);
                if let Some(question) = questions.find(is_new) {
                    offer(question.into(), PRESUMED_GAIN);
                }
            }
        }
        if may(Form::Pick) {
            for lower in self.most_promising() {
                if let Some((options, gain)) = self.pick(lower, &self.standings(lower)) {
                    offer(Screen::Pick { lower, options }, gain);
                }
            }
        }
        if may(Form::Tick) {
            for (upper, boxes) in self.ticks(&candidates) {
                let gain = self.tick_gain(upper, &boxes, rng);
                offer(Screen::Tick { upper, options: boxes }, gain);
            }
        }
    }

    fn was_shown(&self, form: Form, upper: Concept, lower: Concept) -> bool {
        self.belief.evidence().was_shown(self.worker, form, upper, lower)
    }

    /// What is above a concept in the views, each with the share of views in which it is so.
    fn standings(&self, lower: Concept) -> Vec<(Standing, f64)> {
        let mut standings: Vec<(Standing, f64)> = Vec::new();
        let share = 1.0 / self.views.len() as f64;
        for view in &self.views {
            let standing = view.above(lower);
            match standings.iter_mut().find(|(other, _)| *other == standing) {
                Some((_, weight)) => *weight += share,
                None => standings.push((standing, share)),
            }
        }
        standings
    }

    fn least_certain(&self) -> Vec<Concept> {
        let open = Concept::all(self.count).filter(|concept| self.is_open(*concept));
        let mut all: Vec<(f64, Concept)> =
            open.map(|concept| (settled(self.belief, concept), concept)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(LEAST_CERTAIN).map(|(_, concept)| concept).collect()
    }

    /// The concepts whose picks seem to gain most, by the entropy of which of the likeliest options is above, as if
    /// at most one could be. The least certain concepts are not among them: where a hundred places are equally
    /// likely, any eight of them are probably all wrong.
    fn most_promising(&self) -> Vec<Concept> {
        let most = self.asking.most_picks.min(*Form::Pick.options().end());
        let mut times = vec![0.0; self.count + 1];
        let mut all: Vec<(f64, Concept)> = Vec::with_capacity(self.count);
        for lower in Concept::all(self.count).filter(|concept| self.is_open(*concept)) {
            let mut found: Vec<Concept> = Vec::new();
            for view in &self.views {
                let (first, second) = view.above(lower);
                let share = second.as_ref().map_or(0.0, |(share, _)| *share);
                let mut count = |above: &[Concept], weight: f64| {
                    for &one in above {
                        if times[one.index()] == 0.0 {
                            found.push(one);
                        }
                        times[one.index()] += weight / self.views.len() as f64;
                    }
                };
                count(&first, 1.0 - share);
                second.iter().for_each(|(share, above)| count(above, *share));
            }
            let mut chances: Vec<f64> =
                found.iter().map(|one| std::mem::take(&mut times[one.index()]).clamp(0.0, 1.0)).collect();
            chances.sort_by(|a, b| doubt(*b).total_cmp(&doubt(*a)));
            chances.truncate(most);
            all.push((entropy_of_one(&chances), lower));
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(MOST_PROMISING).map(|(_, concept)| concept).collect()
    }

    /// The options of a pick, and its gain.
    fn pick(&self, lower: Concept, standings: &[(Standing, f64)]) -> Option<(Vec<Concept>, f64)> {
        let mut times: HashMap<Concept, f64> = HashMap::new();
        for ((first, second), weight) in standings {
            let seconds = second.iter().flat_map(|(_, above)| above);
            first.iter().chain(seconds).for_each(|&one| *times.entry(one).or_default() += weight);
        }
        let mut rivals: Vec<(Concept, f64)> =
            times.into_iter().filter(|(upper, _)| !self.was_shown(Form::Pick, *upper, lower)).collect();
        rivals.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        rivals.truncate(MOST_RIVALS);
        let most = self.asking.most_picks.min(*Form::Pick.options().end());
        let mut pick = Pick::new(self, standings);
        let mut best: Option<(usize, f64, f64)> = None;
        while pick.options.len() < most && !rivals.is_empty() {
            let mut added: Option<(usize, f64)> = None;
            for (at, (rival, _)) in rivals.iter().enumerate() {
                let gain = pick.gain_with(*rival);
                if added.is_none_or(|(_, most)| gain > most) {
                    added = Some((at, gain));
                }
            }
            let (at, gain) = added?;
            pick.add(rivals.remove(at).0);
            let options = pick.options.len();
            if options < *Form::Pick.options().start() {
                continue;
            }
            let rate = gain / self.asking.seconds.of(Form::Pick, options, self.count);
            match best {
                Some((_, _, most)) if rate <= most => break,
                _ => best = Some((options, gain, rate)),
            }
        }
        let (options, gain, _) = best?;
        pick.options.truncate(options);
        Some((pick.options, gain))
    }

    /// The gain of a place: the reply is the parent, something wider, or anything.
    fn place_gain(&self, standings: &[(Standing, f64)]) -> f64 {
        let mut mean = vec![0.0; self.count + 1];
        let (mut rest, mut known) = (0.0, 0.0);
        for (standing, weight) in standings {
            let (own, others) = self.place_chances(standing);
            let wrong = self.count as f64 - own.len() as f64;
            let mut conditional: f64 = own.values().map(|chance| -chance * chance.log2()).sum();
            conditional += if wrong > 0.0 { -wrong * others * others.log2() } else { 0.0 };
            known += weight * conditional;
            for (place, chance) in own {
                mean[place.index()] += weight * (chance - others);
            }
            rest += weight * others;
        }
        let entropy = |sum: &f64| {
            let chance = sum + rest;
            if chance > 0.0 { -chance * chance.log2() } else { 0.0 }
        };
        // One of the concepts is the one asked about, which cannot be the reply; it has the chance of any wrong one.
        (mean.iter().map(entropy).sum::<f64>() - entropy(&0.0) - known).max(0.0)
    }

    /// The chances of the replies to a place: of each concept above, with the root, and of any other concept.
    pub(super) fn place_chances(&self, (first, second): &Standing) -> (BTreeMap<Concept, f64>, f64) {
        let [path, edge] = self.rates.log_place(self.count);
        // Relative to a wrong one.
        let [wider, parent] = [path.exp(), (path + edge).exp()];
        let mut own: BTreeMap<Concept, f64> = BTreeMap::new();
        let mut others = 0.0;
        let mut add = |above: &[Concept], share: f64| {
            let places = || above.iter().copied().chain([Concept::ROOT]);
            let total = parent + wider * above.len() as f64 + (self.count as f64 - 1.0 - above.len() as f64);
            for (at, place) in places().enumerate() {
                *own.entry(place).or_default() += share * if at == 0 { parent } else { wider } / total;
            }
            others += share / total;
        };
        add(first, 1.0 - second.as_ref().map_or(0.0, |(share, _)| *share));
        if let Some((share, above)) = second {
            add(above, *share);
        }
        (own, others)
    }

    /// The chances of the replies to a pick of these options in each standing: each option, and none.
    pub(super) fn pick_chances(&self, standings: &[(Standing, f64)], options: &[Concept]) -> Vec<Vec<f64>> {
        let mut pick = Pick::new(self, standings);
        options.iter().for_each(|&option| pick.add(option));
        pick.states.iter().map(|state| pick.chances(*state, options.len()).collect()).collect()
    }

    /// The chance that the box of a lower concept is ticked for an upper one, in one view.
    pub(super) fn tick_chance(&self, view: &View, upper: Concept, lower: Concept) -> f64 {
        let chance = |above: &[Concept]| self.rates.log_tick(above.contains(&upper), true).exp();
        match view.above(lower) {
            (first, None) => chance(&first),
            (first, Some((share, second))) => (1.0 - share) * chance(&first) + share * chance(&second),
        }
    }

    /// For some upper concepts, the boxes of a tick: those that gain most alone, none of them likely above another.
    fn ticks(&self, candidates: &[Candidate]) -> Vec<(Concept, Vec<Concept>)> {
        let mut boxes: HashMap<Concept, Boxes> = HashMap::new();
        let chances = [self.rates.log_tick(true, true).exp(), self.rates.log_tick(false, true).exp()];
        for candidate in candidates {
            let Question { upper, lower, .. } = candidate.question;
            let gain = self.box_gain(candidate, chances);
            if gain >= LEAST_BOX && !self.was_shown(Form::Tick, upper, lower) {
                boxes.entry(upper).or_default().push((gain, lower));
            }
        }
        let most = self.asking.most_ticks.min(*Form::Tick.options().end());
        // A tick of one box is a yes/no question that is harder to read.
        let least = if self.asking.forms.contains(&Form::YesNo) { 2 } else { 1 };
        let mut shortlist: Vec<(f64, Concept, Boxes)> = boxes
            .into_iter()
            .map(|(upper, mut boxes)| {
                boxes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                (boxes.iter().take(most).map(|(gain, _)| gain).sum(), upper, boxes)
            })
            .collect();
        shortlist.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        shortlist.truncate(2 * MOST_UPPERS);
        let mut uppers: Vec<(f64, Concept, Vec<Concept>)> = shortlist
            .into_iter()
            .map(|(_, upper, boxes)| {
                let (mut chosen, mut best): (Vec<Concept>, (usize, f64)) = (Vec::new(), (0, 0.0));
                let mut sum = 0.0;
                for (gain, lower) in boxes {
                    if chosen.len() == most {
                        break;
                    }
                    let nested = |other: &Concept| {
                        self.belief.path(*other, lower) + self.belief.path(lower, *other) > 0.25
                    };
                    if chosen.iter().any(nested) {
                        continue;
                    }
                    chosen.push(lower);
                    sum += gain;
                    let rate = sum / self.asking.seconds.of(Form::Tick, chosen.len(), self.count);
                    if chosen.len() >= least && rate > best.1 {
                        best = (chosen.len(), rate);
                    }
                }
                chosen.truncate(best.0);
                (best.1, upper, chosen)
            })
            .filter(|(_, _, boxes)| !boxes.is_empty())
            .collect();
        uppers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        uppers.truncate(MOST_UPPERS);
        uppers.into_iter().map(|(_, upper, boxes)| (upper, boxes)).collect()
    }

    /// The gain of one box alone.
    fn box_gain(&self, candidate: &Candidate, [found, unfounded]: [f64; 2]) -> f64 {
        let rates = crate::Rates::two(unfounded, 1.0 - found).expect("these are rates");
        candidate.gain(&rates)
    }

    /// The gain of a tick: the mean over views of ln P(reply | view) / P(reply), for a reply drawn from each.
    fn tick_gain(&self, upper: Concept, boxes: &[Concept], rng: &mut dyn Rng) -> f64 {
        let of_boxes = |view: &View| -> Vec<f64> {
            boxes.iter().map(|&lower| self.tick_chance(view, upper, lower)).collect()
        };
        let chances: Vec<Vec<f64>> = self.views.iter().map(of_boxes).collect();
        let mut sum = 0.0;
        for own in &chances {
            let ticked: Vec<bool> = own.iter().map(|chance| rng.random::<f64>() < *chance).collect();
            let likelihood = |chances: &[f64]| -> f64 {
                chances
                    .iter()
                    .zip(&ticked)
                    .map(|(chance, ticked)| if *ticked { *chance } else { 1.0 - chance })
                    .product()
            };
            let mean = chances.iter().map(|chances| likelihood(chances)).sum::<f64>() / chances.len() as f64;
            sum += (likelihood(own) / mean).log2();
        }
        (sum / chances.len() as f64).max(0.0)
    }
}

/// The concept that a screen is about.
fn subject(screen: &Screen) -> Concept {
    match screen {
        Screen::YesNo(question) => question.lower,
        Screen::Pick { lower, .. } | Screen::Place { lower } => *lower,
        Screen::Tick { upper, .. } => *upper,
    }
}

/// By concept: whether its place, or that of a possible ancestor, is less certain than this, or is certain only because
/// nobody was asked about the likeliest other place.
fn open_concepts(belief: &dyn Belief, hierarchy: &Tree, known_from: f64, views: &[View]) -> Vec<bool> {
    let count = belief.evidence().count();
    let is_presumed = |concept: Concept| {
        let asked = |rival| was_asked_between(belief, concept, hierarchy, hierarchy.parent(concept), rival);
        rival(belief, hierarchy, concept).is_some_and(|rival| !asked(rival))
    };
    let is_doubtful = |concept: Concept| {
        !belief.evidence().was_asked(concept) || settled(belief, concept) < known_from || is_presumed(concept)
    };
    let own: Vec<bool> = std::iter::once(false).chain(Concept::all(count).map(is_doubtful)).collect();
    let below = |concept: Concept| {
        let is_below = |view: &&View| view.above(concept).0.iter().any(|above| own[above.index()]);
        views.iter().filter(is_below).count() as f64 > (1.0 - known_from) * views.len() as f64
    };
    let open = Concept::all(count).map(|concept| own[concept.index()] || below(concept));
    std::iter::once(false).chain(open).collect()
}

/// The concepts that are settled, and may still be under a sibling that nobody was asked about; those with others below
/// them first.
fn presumed_places(belief: &dyn Belief, hierarchy: &Tree, open: &[bool]) -> Vec<(Concept, Vec<Concept>)> {
    let evidence = belief.evidence();
    let mut children: Vec<Vec<Concept>> = vec![Vec::new(); hierarchy.len() + 1];
    hierarchy.concepts().for_each(|concept| children[hierarchy.parent(concept).index()].push(concept));
    let is_leaf = |concept: Concept| children[concept.index()].is_empty();
    let siblings: Vec<Vec<Concept>> = children
        .iter()
        .map(|siblings| {
            let mut siblings = siblings.clone();
            siblings.sort_by_key(|&sibling| is_leaf(sibling));
            siblings.truncate(MOST_SIBLINGS);
            siblings
        })
        .collect();
    // A hierarchy that the concepts came with is to be checked where it is doubtful, not everywhere.
    let given: HashSet<Concept> =
        evidence.hints().iter().filter_map(placed).map(|(_, lower)| lower).collect();
    let unasked = |concept: Concept| {
        let parent = hierarchy.parent(concept);
        let others = siblings[parent.index()].iter().copied().filter(|&other| other != concept);
        let (asked, mut unasked): (Vec<Concept>, Vec<Concept>) =
            others.partition(|&other| was_asked_between(belief, concept, hierarchy, parent, other));
        unasked.truncate(ENOUGH_SIBLINGS.saturating_sub(asked.len()));
        (!unasked.is_empty()).then_some((concept, unasked))
    };
    let settled = hierarchy.concepts().filter(|concept| !open[concept.index()] && !given.contains(concept));
    settled.filter_map(unasked).collect()
}

/// The likeliest other parent of a concept, unless it is out of the question.
fn rival(belief: &dyn Belief, hierarchy: &Tree, concept: Concept) -> Option<Concept> {
    let parent = hierarchy.parent(concept);
    let (rival, chance) = belief.parents(concept).into_iter().find(|&(other, _)| other != parent)?;
    (chance >= LEAST_RIVAL).then_some(rival)
}

/// How far a probability is from 0 or 1.
fn doubt(chance: f64) -> f64 {
    chance.min(1.0 - chance)
}

/// The entropy, in bits, of which one of several events with these probabilities occurs, or none of them; scaled to
/// sum to 1 where they sum to more.
fn entropy_of_one(chances: &[f64]) -> f64 {
    let sum: f64 = chances.iter().sum();
    let part = |chance: f64| if chance > 0.0 { -chance * chance.log2() } else { 0.0 };
    let scale = sum.max(1.0);
    chances.iter().map(|chance| part(chance / scale)).sum::<f64>() + part((1.0 - sum).max(0.0))
}

/// The questions with the greatest gain, at most `most` of them.
fn best_questions(mut open: Vec<Candidate>, most: usize, gain: impl Fn(&Candidate) -> f64) -> Vec<Candidate> {
    if most == 1 {
        return largest(&open, gain).into_iter().collect();
    }
    open.sort_by(|a, b| gain(b).total_cmp(&gain(a)).then(a.question.cmp(&b.question)));
    open.truncate(most);
    open
}

/// Which options are above a concept for most people, and for the share that holds another place.
type State = (Above, Option<(f64, Above)>);

/// A pick that is being made.
struct Pick<'a> {
    chooser: &'a Chooser<'a>,
    standings: &'a [(Standing, f64)],
    options: Vec<Concept>,
    /// By standing: which options are above for most people, and for the share that holds another place.
    states: Vec<State>,
}

impl<'a> Pick<'a> {
    fn new(chooser: &'a Chooser<'a>, standings: &'a [(Standing, f64)]) -> Self {
        let states = standings
            .iter()
            .map(|((_, second), _)| {
                (Above::default(), second.as_ref().map(|(share, _)| (*share, Above::default())))
            })
            .collect();
        Self { chooser, standings, options: Vec::new(), states }
    }

    fn add(&mut self, option: Concept) {
        self.states = (0..self.states.len()).map(|view| self.state_with(view, option)).collect();
        self.options.push(option);
    }

    /// The state of a standing with one more option.
    fn state_with(&self, view: usize, option: Concept) -> State {
        let ((first, second), _) = &self.standings[view];
        let (now, then) = self.states[view];
        let second = second
            .as_ref()
            .zip(then)
            .map(|((_, above), (share, state))| (share, self.joined(above, state, option)));
        (self.joined(first, now, option), second)
    }

    fn joined(&self, above: &[Concept], state: Above, option: Concept) -> Above {
        let Some(at) = above.iter().position(|one| *one == option) else { return state };
        let new = Above::one(self.options.len());
        let is_lower = state.lowest.is_some_and(|lowest| {
            above
                .iter()
                .position(|one| *one == self.options[usize::from(lowest)])
                .is_some_and(|other| other < at)
        });
        if is_lower { state.under(new) } else { new.under(state) }
    }

    /// The chances of the replies with so many options: each of them, and none.
    fn chances(&self, (first, second): State, options: usize) -> impl Iterator<Item = f64> {
        let rates = &self.chooser.rates;
        let mut factor = Factor {
            lower: Concept::ROOT,
            options: vec![Concept::ROOT; options],
            said: Said::None,
            worker: self.chooser.worker,
        };
        (0..=options).map(move |reply| {
            factor.said = if reply < options { Said::Picked(reply as u8) } else { Said::None };
            let mut chance = factor.log(first, rates).exp();
            if let Some((share, other)) = second {
                chance += share * (factor.log(other, rates).exp() - chance);
            }
            chance
        })
    }

    /// The gain with one more option.
    fn gain_with(&self, option: Concept) -> f64 {
        let options = self.options.len() + 1;
        let mut groups: Vec<(State, f64)> = Vec::new();
        for (view, (_, weight)) in self.standings.iter().enumerate() {
            let state = self.state_with(view, option);
            match groups.iter_mut().find(|(other, _)| *other == state) {
                Some((_, sum)) => *sum += weight,
                None => groups.push((state, *weight)),
            }
        }
        let mut mean = vec![0.0; options + 1];
        let mut known = 0.0;
        for (state, weight) in groups {
            for (chance, mean) in self.chances(state, options).zip(&mut mean) {
                *mean += weight * chance;
                known -= weight * chance * chance.log2();
            }
        }
        (mean.iter().map(|chance| -chance * chance.log2()).sum::<f64>() - known).max(0.0)
    }
}
