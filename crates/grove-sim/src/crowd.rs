use grove_belief::{Answer, Certainties, Question, Reply, Screen, Worker};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::shares::at_quantile;
use crate::{CrowdSpec, Error, Habit, Person, Shares};

/// People who answer questions, each with a hierarchy and habits of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct Crowd {
    /// By worker number; at least one, and all about the same concepts.
    people: Vec<Person>,
}

impl Crowd {
    /// Draws the people that a description asks for, who disagree by these shares.
    ///
    /// Habits are dealt in random order, so that the number of people with each is within one of its share. Random draws per
    /// person: one for the order, one per divided concept, and some for each rate; plus one for all.
    ///
    /// # Errors
    /// [`Error::NoPeople`], [`Error::NotAChance`], [`Error::BadConcentration`], [`Error::TooManyHabits`]; and
    /// [`grove_belief::Error::NoConcept`] if the shares are about no concept.
    pub fn gather(spec: &CrowdSpec, shares: &Shares, rng: &mut (impl Rng + ?Sized)) -> Result<Self, Error> {
        spec.check()?;
        if shares.reference().is_empty() {
            return Err(grove_belief::Error::NoConcept.into());
        }
        let habits = deal_habits(spec, rng);
        let person = |habit: Habit| {
            let tree = shares.draw(rng);
            let own = match spec.concentration {
                Some(concentration) => spec.rates.individual(concentration, rng)?,
                None => spec.rates,
            };
            let person = Person::new(tree, habit.with_rates(own))?;
            person.with_fatigue(spec.fatigue)?.with_cant_say(spec.cant_say)
        };
        let people: Result<Vec<Person>, Error> = habits.into_iter().map(person).collect();
        Ok(Self { people: people? })
    }

    /// The people, by worker number.
    #[must_use]
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// The people's worker numbers.
    pub fn workers(&self) -> impl ExactSizeIterator<Item = Worker> + use<> {
        let count = u32::try_from(self.people.len()).expect("a crowd of fewer than 32 bits count");
        (0..count).map(Worker::new)
    }

    /// Asks one person. Two random draws.
    ///
    /// # Panics
    /// If there is no such person, or the question is about concepts that are not in the hierarchy.
    pub fn answer(&mut self, worker: Worker, question: Question, rng: &mut (impl Rng + ?Sized)) -> Answer {
        self.people[worker.index()].answer(question, rng)
    }

    /// Shows one person a screen of any form.
    ///
    /// # Panics
    /// If there is no such person, or the screen is about concepts that are not in the hierarchy.
    pub fn reply(&mut self, worker: Worker, screen: &Screen, rng: &mut (impl Rng + ?Sized)) -> Reply {
        self.people[worker.index()].reply(screen, rng)
    }

    /// The share of people who have each parent in mind, whatever they answer.
    #[must_use]
    pub fn truth_shares(&self) -> Certainties {
        Certainties::of_trees(self.people.iter().map(Person::tree)).expect("a crowd has people and concepts")
    }
}

/// Everybody's habit, with the mean rates. Systematic sampling (Madow 1944): person k of n takes the quantile (k + u) / n of
/// the mix with one u for all, which keeps every count within one of its share, and correct on average.
fn deal_habits(spec: &CrowdSpec, rng: &mut (impl Rng + ?Sized)) -> Vec<Habit> {
    let start: f64 = rng.random();
    let at = |person: usize| (person as f64 + start) / spec.people as f64;
    let mut habits: Vec<Habit> = (0..spec.people).map(|person| habit_at(spec, at(person))).collect();
    habits.shuffle(rng);
    habits
}

fn habit_at(spec: &CrowdSpec, quantile: f64) -> Habit {
    let habits = [Habit::AlwaysYes, Habit::AlwaysNo, Habit::Coin(spec.coin_yes), Habit::Inverted(spec.rates)];
    at_quantile(habits.into_iter().zip(spec.habits()), quantile).unwrap_or(Habit::Honest(spec.rates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dataset;
    use grove_tree::{Concept, Tree};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    impl Crowd {
        /// The share of people who have `upper` above `lower` in mind.
        fn path_share(&self, upper: Concept, lower: Concept) -> f64 {
            let agree = self.people.iter().filter(|person| person.tree().is_above(upper, lower)).count();
            agree as f64 / self.people.len() as f64
        }
    }

    #[test]
    fn perfect_people_tell_the_truth() {
        let mut rng = rng(1);
        let truth = Tree::random(12, &mut rng);
        let spec = CrowdSpec::one_rate(3, 0.0).unwrap();
        let mut crowd = Crowd::gather(&spec, &Shares::none(&truth), &mut rng).unwrap();
        for upper in truth.concepts() {
            for lower in truth.concepts().filter(|&lower| lower != upper) {
                for worker in crowd.workers() {
                    let answer = crowd.answer(worker, Question::path(upper, lower).unwrap(), &mut rng);
                    assert_eq!(answer == Answer::Yes, truth.is_above(upper, lower));
                    let answer = crowd.answer(worker, Question::edge(upper, lower).unwrap(), &mut rng);
                    assert_eq!(answer == Answer::Yes, truth.parent(lower) == upper);
                }
            }
        }
        assert_eq!(crowd.truth_shares(), Certainties::of_trees([&truth]).unwrap());
    }

    #[test]
    fn habits_are_dealt_by_share() {
        let shares = Dataset::Food.shares();
        let spec = CrowdSpec { always_yes: 0.1, always_no: 0.05, coin: 0.2, ..CrowdSpec::open(40) };
        for seed in 0..50 {
            let crowd = Crowd::gather(&spec, &shares, &mut rng(seed)).unwrap();
            let count =
                |is: fn(&Habit) -> bool| crowd.people().iter().filter(|person| is(&person.habit())).count();
            assert_eq!(count(|habit| *habit == Habit::AlwaysYes), 4);
            assert_eq!(count(|habit| *habit == Habit::AlwaysNo), 2);
            assert_eq!(count(|habit| *habit == Habit::Coin(0.5)), 8);
            assert_eq!(count(|habit| matches!(habit, Habit::Honest(_))), 26);
        }
    }

    #[test]
    fn a_fractional_share_of_people_is_right_on_average() {
        // 0.15 of 10 people are one or two of them, each half of the time: 2,000 crowds, alpha 1e-4.
        let spec = CrowdSpec { always_no: 0.15, ..CrowdSpec::open(10) };
        let mut rng = rng(2);
        let mut twos = 0;
        let mut first = 0;
        for _ in 0..2_000 {
            let habits = deal_habits(&spec, &mut rng);
            let no = habits.iter().filter(|habit| **habit == Habit::AlwaysNo).count();
            assert!(no == 1 || no == 2);
            twos += no - 1;
            first += usize::from(habits[0] == Habit::AlwaysNo);
        }
        let z = |count: usize, p: f64| (count as f64 - 2e3 * p) / (2e3 * p * (1.0 - p)).sqrt();
        assert!(z(twos, 0.5).abs() < 3.9, "{twos}");
        // The position says nothing about the habit.
        assert!(z(first, 0.15).abs() < 3.9, "{first}");
    }

    #[test]
    fn people_disagree_as_planted() {
        let (food, shares) = (Dataset::Food.tree(), Dataset::Food.shares());
        let crowd = Crowd::gather(&CrowdSpec::qualified(10_000), &shares, &mut rng(3)).unwrap();
        let truth = crowd.truth_shares();
        let planted = shares.certainties().unwrap();
        for child in food.tree().concepts() {
            // A share of 0.6 among 10,000 strays by 0.0049; 4.5 times that.
            assert!(truth.distance_at(&planted, child) < 0.022);
        }
        let [fruit, vegetable, tomato] =
            ["fruit", "vegetable", "tomato"].map(|name| food.find(name).unwrap());
        assert_eq!(crowd.path_share(fruit, tomato), truth.parent(fruit, tomato));
        assert_eq!(crowd.path_share(fruit, tomato) + crowd.path_share(vegetable, tomato), 1.0);
    }

    #[test]
    fn people_answer_by_their_own_tree() {
        // Perfect people, so that each is known by the answers: a person who says fruit does not say vegetable.
        let (food, shares) = (Dataset::Food.tree(), Dataset::Food.shares());
        let mut rng = rng(4);
        let mut crowd = Crowd::gather(&CrowdSpec::one_rate(200, 0.0).unwrap(), &shares, &mut rng).unwrap();
        let [fruit, vegetable, tomato] =
            ["fruit", "vegetable", "tomato"].map(|name| food.find(name).unwrap());
        let mut yes = 0;
        for worker in crowd.workers() {
            let asked = [fruit, vegetable].map(|upper| Question::path(upper, tomato).unwrap());
            let answers = asked.map(|question| crowd.answer(worker, question, &mut rng));
            assert_ne!(answers[0], answers[1]);
            yes += usize::from(answers[0] == Answer::Yes);
        }
        assert_eq!(yes as f64 / 200.0, crowd.path_share(fruit, tomato));
    }

    #[test]
    fn a_crowd_is_a_function_of_its_seed() {
        let spec = CrowdSpec { always_yes: 0.2, fatigue: 0.01, cant_say: 0.1, ..CrowdSpec::by_relation(5) };
        let record = |seed| {
            let mut rng = rng(seed);
            let mut crowd = Crowd::gather(&spec, &Dataset::Food.shares(), &mut rng).unwrap();
            let question = Question::path(Concept::new(1), Concept::new(10)).unwrap();
            let said = |answer| match answer {
                Answer::Yes => 'y',
                Answer::No => 'n',
                Answer::CantSay => '?',
            };
            (0..40).map(|at| said(crowd.answer(Worker::new(at % 5), question, &mut rng))).collect::<String>()
        };
        // Fixed values: a change of the random stream must not go unnoticed.
        assert_eq!(record(1), "yynyyyynyyy?nnyyynynyyn?yyynyyyynyyy?nn?");
        assert_ne!(record(1), record(2));
    }

    #[test]
    fn refuses_impossible_crowds() {
        let shares = Dataset::Food.shares();
        let gather = |spec: CrowdSpec| Crowd::gather(&spec, &shares, &mut rng(5)).unwrap_err();
        assert_eq!(gather(CrowdSpec::open(0)), Error::NoPeople);
        assert_eq!(
            gather(CrowdSpec { always_yes: 0.6, inverted: 0.5, ..CrowdSpec::open(1) }),
            Error::TooManyHabits(1.1)
        );
        let bad = CrowdSpec { fatigue: f64::NAN, ..CrowdSpec::open(1) };
        assert!(matches!(gather(bad), Error::NotAChance { what: "fatigue", .. }));
        let bad = CrowdSpec { concentration: Some(-1.0), ..CrowdSpec::open(1) };
        assert_eq!(gather(bad), Error::BadConcentration(-1.0));
        let nothing = Shares::none(&grove_tree::Tree::flat(0));
        let empty = Crowd::gather(&CrowdSpec::open(1), &nothing, &mut rng(5));
        assert_eq!(empty, Err(grove_belief::Error::NoConcept.into()));
    }
}
