use std::sync::Arc;

use grove_belief::{Answer, Kind, Question, Reply, Screen};
use grove_tree::{Concept, Tree};
use rand::{Rng, RngExt};

use crate::error::chance;
use crate::{AnswerRates, Error};

/// How a person answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Habit {
    /// Reads the question and answers correctly at these rates.
    Honest(AnswerRates),
    /// Says yes without reading.
    AlwaysYes,
    /// Says no without reading.
    AlwaysNo,
    /// Flips a coin without reading, with this chance of yes.
    Coin(f64),
    /// Reads the question like an honest person with these rates, and says the opposite.
    Inverted(AnswerRates),
}

impl Habit {
    /// Whether the answer depends on the question.
    #[must_use]
    pub fn reads(&self) -> bool {
        matches!(self, Self::Honest(_) | Self::Inverted(_))
    }

    /// The same habit with other rates, if it has any.
    pub(crate) fn with_rates(self, rates: AnswerRates) -> Self {
        match self {
            Self::Honest(_) => Self::Honest(rates),
            Self::Inverted(_) => Self::Inverted(rates),
            other => other,
        }
    }
}

/// A simulated person: a hierarchy in mind and a habit of answering.
#[derive(Clone, PartialEq, Debug)]
pub struct Person {
    tree: Arc<Tree>,
    habit: Habit,
    fatigue: f64,
    cant_say: f64,
    /// How many questions the person has answered, including with "can't say".
    answered: u32,
}

impl Person {
    /// A person who never tires and answers every question with yes or no.
    ///
    /// # Errors
    /// [`Error::NotAChance`] if a coin's chance of yes is not within 0 and 1.
    pub fn new(tree: Arc<Tree>, habit: Habit) -> Result<Self, Error> {
        if let Habit::Coin(yes) = habit {
            chance("coin_yes", yes)?;
        }
        Ok(Self { tree, habit, fatigue: 0.0, cant_say: 0.0, answered: 0 })
    }

    /// Makes the person lose this share of the remaining attention with every answer. After n answers a reader says yes with
    /// probability 1/2 + (rate - 1/2) (1 - fatigue)^n, which tends to a fair coin. People who do not read do not tire.
    ///
    /// # Errors
    /// [`Error::NotAChance`] unless it is within 0 and 1.
    pub fn with_fatigue(self, fatigue: f64) -> Result<Self, Error> {
        Ok(Self { fatigue: chance("fatigue", fatigue)?, ..self })
    }

    /// Makes a reader answer "can't say" with this chance, whatever is asked.
    ///
    /// # Errors
    /// [`Error::NotAChance`] unless it is within 0 and 1.
    pub fn with_cant_say(self, cant_say: f64) -> Result<Self, Error> {
        Ok(Self { cant_say: chance("cant_say", cant_say)?, ..self })
    }

    /// The hierarchy that the person has in mind.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// How the person answers.
    #[must_use]
    pub fn habit(&self) -> Habit {
        self.habit
    }

    /// The chance that the next answer, unless it is "can't say", is yes. O(depth).
    ///
    /// # Panics
    /// If the question is about concepts that the person's tree does not have.
    #[must_use]
    pub fn chance_of_yes(&self, question: Question) -> f64 {
        match self.habit {
            Habit::Honest(rates) => self.when_tired(rates.yes(&self.tree, question)),
            Habit::Inverted(rates) => 1.0 - self.when_tired(rates.yes(&self.tree, question)),
            Habit::AlwaysYes => 1.0,
            Habit::AlwaysNo => 0.0,
            Habit::Coin(yes) => yes,
        }
    }

    /// Replies to a screen of any form; to a yes/no screen as [`Person::answer`].
    ///
    /// A slip has the same chance in every form: that of a no to a true statement where something should be named or ticked, and that of a yes to
    /// a false one where it should not. In a pick that should name an option, half of the slips are "none of these", and a quarter each
    /// another option and a wider one, if there is one; in a place, half are something wider and half something else. In a tick every box
    /// may be one. Who says yes without reading picks the first option and ticks every box; who says no picks and ticks none.
    ///
    /// # Panics
    /// If the screen is about concepts that the person's tree does not have.
    pub fn reply(&mut self, screen: &Screen, rng: &mut (impl Rng + ?Sized)) -> Reply {
        if let Screen::YesNo(question) = screen {
            return self.answer(*question, rng).into();
        }
        let knows: f64 = rng.random();
        let reply = match screen {
            _ if self.habit.reads() && knows < self.cant_say => Reply::CantSay,
            Screen::Pick { lower, options } => self.pick(*lower, options, rng),
            Screen::Tick { upper, options } => self.tick(*upper, options, rng),
            Screen::Place { lower } => self.place(*lower, rng),
            Screen::YesNo(_) => unreachable!("answered above"),
        };
        self.answered += 1;
        reply
    }

    fn pick(&self, lower: Concept, options: &[Concept], rng: &mut (impl Rng + ?Sized)) -> Reply {
        let any = |rng: &mut dyn Rng, of: &[Concept]| Reply::Picked(of[rng.random_range(0..of.len())]);
        let mut says_yes = |chance: f64| rng.random::<f64>() < chance;
        match self.habit {
            Habit::AlwaysYes => return Reply::Picked(options[0]),
            Habit::AlwaysNo => return Reply::None,
            Habit::Coin(yes) => {
                return if says_yes(yes) { any(&mut &mut *rng, options) } else { Reply::None };
            }
            Habit::Honest(_) | Habit::Inverted(_) => {}
        }
        // From the most specific one up.
        let above: Vec<Concept> = self.tree.ancestors(lower).filter(|one| options.contains(one)).collect();
        let chance = |upper: Concept| self.chance_of_yes(path(upper, lower));
        let Some(&lowest) = above.first() else {
            let mean = options.iter().map(|&upper| chance(upper)).sum::<f64>() / options.len() as f64;
            return if says_yes(mean) { any(&mut &mut *rng, options) } else { Reply::None };
        };
        if says_yes(chance(lowest)) {
            return Reply::Picked(lowest);
        }
        let wrong: Vec<Concept> = options.iter().copied().filter(|one| !above.contains(one)).collect();
        match rng.random_range(0..4) {
            2 if !wrong.is_empty() => any(&mut &mut *rng, &wrong),
            3 if above.len() > 1 => any(&mut &mut *rng, &above[1..]),
            0 | 1 => Reply::None,
            _ => Reply::Picked(lowest),
        }
    }

    fn tick(&self, upper: Concept, options: &[Concept], rng: &mut (impl Rng + ?Sized)) -> Reply {
        let mut ticks = |lower: &Concept| rng.random::<f64>() < self.chance_of_yes(path(upper, *lower));
        let ticked: Vec<Concept> = options.iter().copied().filter(|lower| ticks(lower)).collect();
        if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) }
    }

    fn place(&self, lower: Concept, rng: &mut (impl Rng + ?Sized)) -> Reply {
        let under = |upper: Concept| if upper.is_root() { Reply::Top } else { Reply::Under(upper) };
        let mut any = |of: &[Concept]| under(of[rng.random_range(0..of.len())]);
        let all: Vec<Concept> = (0..=self.tree.len()).map(Concept::new).filter(|one| *one != lower).collect();
        let reads = match self.habit {
            Habit::AlwaysNo => return Reply::Top,
            habit => habit.reads(),
        };
        if !reads {
            return any(&all);
        }
        let parent = self.tree.parent(lower);
        let above: Vec<Concept> = self.tree.ancestors(lower).skip(1).chain([Concept::ROOT]).collect();
        let wider: Vec<Concept> = if parent.is_root() { Vec::new() } else { above };
        let wrong: Vec<Concept> = all
            .iter()
            .copied()
            .filter(|one| *one != parent && !one.is_root() && !self.tree.is_above(*one, lower))
            .collect();
        // At the top level there is no statement to say yes to; the rate is that of any true one.
        let right = match self.tree.concepts().find(|child| !self.tree.parent(*child).is_root()) {
            _ if !parent.is_root() => self.chance_of_yes(Question { kind: Kind::Edge, upper: parent, lower }),
            Some(child) => self.chance_of_yes(path(self.tree.parent(child), child)),
            None => 1.0,
        };
        match rng.random::<f64>() {
            says if says < right => under(parent),
            _ if rng.random() => {
                if wider.is_empty() {
                    under(parent)
                } else {
                    under(wider[rng.random_range(0..wider.len())])
                }
            }
            _ => {
                if wrong.is_empty() {
                    under(parent)
                } else {
                    under(wrong[rng.random_range(0..wrong.len())])
                }
            }
        }
    }

    fn when_tired(&self, rate: f64) -> f64 {
        let attention = (1.0 - self.fatigue).powf(f64::from(self.answered));
        0.5 + (rate - 0.5) * attention
    }

    /// Answers a question. Always two random draws, so that a person's habit does not shift the random stream of the others.
    ///
    /// # Panics
    /// If the question is about concepts that the person's tree does not have.
    pub fn answer(&mut self, question: Question, rng: &mut (impl Rng + ?Sized)) -> Answer {
        let [knows, says]: [f64; 2] = rng.random();
        let yes = says < self.chance_of_yes(question);
        self.answered += 1;
        match (self.habit.reads() && knows < self.cant_say, yes) {
            (true, _) => Answer::CantSay,
            (false, true) => Answer::Yes,
            (false, false) => Answer::No,
        }
    }
}

fn path(upper: Concept, lower: Concept) -> Question {
    Question { kind: Kind::Path, upper, lower }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    impl Person {
        fn answered(&self) -> u32 {
            self.answered
        }
    }

    fn person(habit: Habit) -> Person {
        Person::new(Arc::new(Tree::from_parents(&[0, 1].map(Concept::new)).unwrap()), habit).unwrap()
    }

    fn question(upper: usize, lower: usize) -> Question {
        Question::path(Concept::new(upper), Concept::new(lower)).unwrap()
    }

    #[test]
    fn habits_decide_the_chance() {
        let rates = AnswerRates::two(0.9, 0.2).unwrap();
        let chances =
            |habit| [question(1, 2), question(2, 1)].map(|asked| person(habit).chance_of_yes(asked));
        assert_eq!(chances(Habit::Honest(rates)), [0.9, 0.2]);
        assert_eq!(chances(Habit::Inverted(rates)), [1.0 - 0.9, 1.0 - 0.2]);
        assert_eq!(chances(Habit::AlwaysYes), [1.0, 1.0]);
        assert_eq!(chances(Habit::AlwaysNo), [0.0, 0.0]);
        assert_eq!(chances(Habit::Coin(0.7)), [0.7, 0.7]);
    }

    #[test]
    fn attention_fades() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rates = AnswerRates::two(0.9, 0.1).unwrap();
        let mut tired = person(Habit::Honest(rates)).with_fatigue(0.5).unwrap();
        let mut chances = Vec::new();
        for _ in 0..3 {
            chances.push(tired.chance_of_yes(question(1, 2)));
            tired.answer(question(1, 2), &mut rng);
        }
        assert!(
            chances.iter().zip([0.9, 0.7, 0.6]).all(|(found, expected)| (found - expected).abs() < 1e-12)
        );
        assert_eq!(tired.answered(), 3);
        let mut liar = person(Habit::Inverted(rates)).with_fatigue(0.5).unwrap();
        liar.answer(question(1, 2), &mut rng);
        assert!((liar.chance_of_yes(question(1, 2)) - 0.3).abs() < 1e-12);
        let mut yes = person(Habit::AlwaysYes).with_fatigue(0.5).unwrap();
        yes.answer(question(1, 2), &mut rng);
        assert_eq!(yes.chance_of_yes(question(1, 2)), 1.0);
    }

    /// Chi-square of 100,000 answers (yes, no, can't say) against .83 of the .9 who can say.
    fn strangeness(rates: AnswerRates, cant_say: f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut person = person(Habit::Honest(rates)).with_cant_say(cant_say).unwrap();
        let mut seen = [0.0_f64; 3];
        for _ in 0..100_000 {
            seen[person.answer(question(1, 2), &mut rng) as usize] += 1.0;
        }
        let expected = [0.9 * 0.83, 0.9 * 0.17, 0.1].map(|share| share * 1e5);
        seen.iter().zip(expected).map(|(seen, expected)| (seen - expected).powi(2) / expected).sum()
    }

    #[test]
    fn answers_come_at_their_rates() {
        // The 1 - 1e-4 quantile of chi-square with 2 degrees of freedom. Planted faults: a point off in either rate.
        const CRITICAL: f64 = 18.42;
        assert!(strangeness(AnswerRates::open(), 0.1) < CRITICAL);
        assert!(strangeness(AnswerRates::two(0.84, 0.2).unwrap(), 0.1) > CRITICAL);
        assert!(strangeness(AnswerRates::open(), 0.11) > CRITICAL);
    }

    #[test]
    fn people_who_do_not_read_never_say_cant_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut lines =
            [Habit::AlwaysYes, Habit::AlwaysNo].map(|habit| person(habit).with_cant_say(0.9).unwrap());
        for _ in 0..100 {
            let answers = lines.each_mut().map(|person| person.answer(question(2, 1), &mut rng));
            assert_eq!(answers, [Answer::Yes, Answer::No]);
        }
    }

    /// 1 above 2 above 3; 4 and 5 at the top.
    fn all_forms(habit: Habit) -> Person {
        Person::new(Arc::new(Tree::from_parents(&[0, 1, 2, 0, 0].map(Concept::new)).unwrap()), habit).unwrap()
    }

    #[test]
    fn perfect_people_reply_rightly_in_every_form() {
        let [one, two, three, four, five] = [1, 2, 3, 4, 5].map(Concept::new);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut person = all_forms(Habit::Honest(AnswerRates::one(0.0).unwrap()));
        let mut reply = |screen: Result<Screen, _>| person.reply(&screen.unwrap(), &mut rng);
        assert_eq!(reply(Screen::pick(three, vec![four, one, two])), Reply::Picked(two));
        assert_eq!(reply(Screen::pick(four, vec![one, two])), Reply::None);
        assert_eq!(reply(Screen::tick(one, vec![three, four, two])), Reply::Ticked(vec![three, two]));
        assert_eq!(reply(Screen::tick(five, vec![three, four])), Reply::None);
        assert_eq!(reply(Screen::place(three)), Reply::Under(two));
        assert_eq!(reply(Screen::place(five)), Reply::Top);
    }

    #[test]
    fn slips_come_at_their_rate_in_every_form() {
        let [one, two, three, four, _] = [1, 2, 3, 4, 5].map(Concept::new);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut person = all_forms(Habit::Honest(AnswerRates::one(0.2).unwrap()));
        let mut slips = |screen: &Screen, right: &Reply| {
            let wrong = (0..20_000).filter(|_| person.reply(screen, &mut rng) != *right).count();
            wrong as f64 / 20_000.0
        };
        // Five standard errors are 0.015.
        for (screen, right) in [
            (Screen::pick(three, vec![four, one, two]).unwrap(), Reply::Picked(two)),
            (Screen::pick(four, vec![one, two]).unwrap(), Reply::None),
            (Screen::tick(one, vec![four]).unwrap(), Reply::None),
            (Screen::place(three).unwrap(), Reply::Under(two)),
        ] {
            let slips = slips(&screen, &right);
            assert!((slips - 0.2).abs() < 0.015, "{screen} {slips}");
        }
    }

    #[test]
    fn habits_show_in_every_form() {
        let [one, two, three, ..] = [1, 2, 3, 4, 5].map(Concept::new);
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let screens =
            [Screen::pick(three, vec![one, two]).unwrap(), Screen::tick(three, vec![one, two]).unwrap()];
        let mut replies = |habit| screens.clone().map(|screen| all_forms(habit).reply(&screen, &mut rng));
        assert_eq!(replies(Habit::AlwaysYes), [Reply::Picked(one), Reply::Ticked(vec![one, two])]);
        assert_eq!(replies(Habit::AlwaysNo), [Reply::None, Reply::None]);
        let mut unsure = all_forms(Habit::Honest(AnswerRates::open())).with_cant_say(1.0).unwrap();
        assert_eq!(unsure.reply(&screens[0], &mut rng), Reply::CantSay);
    }

    #[test]
    fn refuses_invalid_chances() {
        for bad in [f64::NAN, -0.1, 1.1] {
            let tree = Arc::new(Tree::flat(2));
            assert!(matches!(Person::new(tree, Habit::Coin(bad)), Err(Error::NotAChance { .. })));
            let anybody = person(Habit::AlwaysYes);
            assert!(matches!(anybody.clone().with_fatigue(bad), Err(Error::NotAChance { .. })));
            assert!(matches!(anybody.with_cant_say(bad), Err(Error::NotAChance { .. })));
        }
    }
}
