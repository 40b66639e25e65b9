//! Picks, ticks and places among votes, against enumeration of every tree, set of divided concepts, second place and share.

use grove_belief::{
    Belief, Correction, Dissent, EdgeVotes, Ensemble, EnsembleSettings, Evidence, Exact, Noise, Question,
    Rates, Reply, Response, Screen, Settings, Verdict, Weights, WeightsSettings, Worker,
};
use grove_tree::Concept;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::cases::rng;
use crate::dissent::Errors;
use crate::dissent::oracle::{Model, People, Reading, Trees};

/// As where people differ: 5.7 standard errors of a share of one half, among some hundred.
const CHAINS: usize = 4_000;
const ALLOWED: f64 = 0.045;
const SWEEPS: usize = 20;

/// Anything that may be said to a screen of a random form, by one of three people.
pub(crate) fn any_response(count: usize, rng: &mut ChaCha8Rng) -> Response {
    let mut concepts: Vec<Concept> = Concept::all(count).collect();
    concepts.shuffle(rng);
    let subject = concepts.pop().unwrap();
    let some =
        |rng: &mut ChaCha8Rng, least: usize| concepts[..rng.random_range(least..=concepts.len())].to_vec();
    let (screen, reply) = match rng.random_range(0..4) {
        0 => {
            let question = Question::path(concepts[0], subject).unwrap();
            (question.into(), if rng.random() { Reply::Yes } else { Reply::No })
        }
        1 => {
            let options = some(rng, 2);
            let picked = Reply::Picked(options[rng.random_range(0..options.len())]);
            (
                Screen::pick(subject, options).unwrap(),
                if rng.random_range(0..3) < 2 { picked } else { Reply::None },
            )
        }
        2 => {
            let options = some(rng, 1);
            let ticked: Vec<Concept> = options.iter().copied().filter(|_| rng.random()).collect();
            let reply = if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) };
            (Screen::tick(subject, options).unwrap(), reply)
        }
        _ => {
            let reply = if rng.random_range(0..3) < 2 { Reply::Under(concepts[0]) } else { Reply::Top };
            (Screen::place(subject).unwrap(), reply)
        }
    };
    Response::new(Worker::new(rng.random_range(0..3)), screen, reply).unwrap()
}

fn own_rates() -> Noise {
    let known = vec![Rates::one(0.1).unwrap(), Rates::three(0.8, 0.4, 0.15).unwrap()];
    Noise::Workers { known, others: Rates::two(0.2, 0.25).unwrap() }
}

fn evidence(count: usize, settings: Settings, responses: &[Response]) -> Evidence {
    let mut evidence = Evidence::new(count, settings).unwrap();
    for response in responses {
        evidence.respond(response.clone()).unwrap();
    }
    evidence
}

fn settings(trees: Trees, dissent: Option<f64>) -> Settings {
    let dissent = dissent.map(|chance| Dissent::new(chance).unwrap());
    Settings { noise: own_rates(), dissent, prior: trees.prior() }
}

fn ensemble(evidence: Evidence) -> Ensemble {
    let settings = EnsembleSettings { trees: CHAINS, ..EnsembleSettings::for_concepts(evidence.count()) };
    let mut belief = Ensemble::new(evidence, settings).unwrap();
    belief.sweep(SWEEPS);
    belief
}

fn people(evidence: &Evidence, trees: Trees, reading: Reading) -> People {
    let delta = evidence.settings().dissent.map_or(1e-12, |dissent| dissent.chance());
    People::new(evidence, &Model { reading, ..Model::new(trees, delta) })
}

const CASES: [(usize, Trees, Option<f64>); 6] = [
    (3, Trees::Uniform, None),
    (4, Trees::Taxonomy, None),
    (5, Trees::FewParents(1.5), None),
    (3, Trees::Taxonomy, Some(0.3)),
    (4, Trees::Uniform, Some(0.3)),
    (5, Trees::Taxonomy, Some(0.2)),
];

fn responses(count: usize, seed: u64) -> Vec<Response> {
    let mut rng = rng(seed);
    (0..4 * count).map(|_| any_response(count, &mut rng)).collect()
}

#[test]
fn agrees_with_enumeration() {
    for (at, (count, trees, dissent)) in CASES.into_iter().enumerate() {
        let some = evidence(count, settings(trees, dissent), &responses(count, 30 + at as u64));
        let errors = Errors::of(&ensemble(some.clone()), &people(&some, trees, Reading::Right));
        assert!(errors.worst() < ALLOWED, "{count} {trees:?} {dissent:?}: {errors:?}");
    }
}

/// A chain of concepts, so that options are above one another, and everybody picks and ticks several times.
fn nested(count: usize, seed: u64) -> Vec<Response> {
    let mut rng = rng(seed);
    let mut all = Vec::new();
    while all.len() < 5 * count {
        let response = any_response(count, &mut rng);
        let reply = match &response.screen {
            // Whatever has the smallest number is the lowest below the others, in the minds of these people.
            Screen::Pick { lower, options } => {
                let above = options.iter().copied().filter(|option| option < lower).max();
                let wider = options.iter().copied().filter(|option| option < lower).min();
                match if rng.random_range(0..4) == 0 { wider } else { above } {
                    Some(option) => Reply::Picked(option),
                    None => Reply::None,
                }
            }
            Screen::Tick { upper, options } => {
                let ticked: Vec<Concept> = options.iter().copied().filter(|option| option > upper).collect();
                if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) }
            }
            _ => continue,
        };
        all.push(Response { reply, ..response });
    }
    all
}

#[test]
fn faults_are_seen() {
    let trees = Trees::Uniform;
    let some = evidence(4, settings(trees, None), &nested(4, 7)[..8]);
    let belief = ensemble(some.clone());
    let right = Errors::of(&belief, &people(&some, trees, Reading::Right)).worst();
    assert!(right < ALLOWED, "{right}");
    for fault in [Reading::Independent, Reading::NeverWider] {
        let wrong = Errors::of(&belief, &people(&some, trees, fault)).worst();
        assert!(wrong > 1.5 * ALLOWED, "{fault:?}: {wrong}");
    }
    // Three concepts below each other, and a fourth that is said to be under none of them.
    let [one, two, three, four] = [1, 2, 3, 4].map(Concept::new);
    let say = |worker, screen: Screen, reply| Response::new(Worker::new(worker), screen, reply).unwrap();
    let yes = |upper, lower| say(0, Question::path(upper, lower).unwrap().into(), Reply::Yes);
    let none = say(2, Screen::pick(four, vec![one, two, three]).unwrap(), Reply::None);
    let under = [yes(one, two), yes(one, two), yes(two, three), yes(two, three), none];
    let some = evidence(4, settings(trees, None), &under);
    let belief = ensemble(some.clone());
    let error = |reading| Errors::of(&belief, &people(&some, trees, reading)).worst();
    assert!(error(Reading::Right) < ALLOWED, "{}", error(Reading::Right));
    assert!(error(Reading::NoneIsNo) > 1.5 * ALLOWED, "{}", error(Reading::NoneIsNo));
    // One box is ticked, and another, which is below it, is empty.
    let ticked = say(0, Screen::tick(one, vec![two, three]).unwrap(), Reply::Ticked(vec![two]));
    let some = evidence(4, settings(trees, None), &[yes(two, three), yes(two, three), ticked]);
    let belief = ensemble(some.clone());
    let error = |reading| Errors::of(&belief, &people(&some, trees, reading)).worst();
    assert!(error(Reading::Right) < ALLOWED, "{}", error(Reading::Right));
    assert!(error(Reading::EveryBox) > 1.5 * ALLOWED, "{}", error(Reading::EveryBox));
}

#[test]
fn agrees_with_enumeration_where_options_are_above_one_another() {
    for (seed, (trees, dissent)) in
        [(Trees::Uniform, None), (Trees::Taxonomy, Some(0.3))].into_iter().enumerate()
    {
        let some = evidence(5, settings(trees, dissent), &nested(5, seed as u64));
        let errors = Errors::of(&ensemble(some.clone()), &people(&some, trees, Reading::Right));
        assert!(errors.worst() < ALLOWED, "{trees:?} {dissent:?}: {errors:?}");
    }
}

#[test]
fn agrees_with_enumeration_under_corrections() {
    let [one, two, three] = [1, 2, 3].map(Concept::new);
    for correction in [
        Correction::DirectlyUnder { lower: one, upper: two },
        Correction::SomewhereUnder { lower: three, upper: two },
        Correction::NotUnder { lower: one, upper: three },
        Correction::TopLevel { concept: two },
    ] {
        for dissent in [None, Some(0.3)] {
            let mut some = evidence(4, settings(Trees::Uniform, dissent), &responses(4, 12));
            some.correct(correction).unwrap();
            let people = people(&some, Trees::Uniform, Reading::Right);
            let errors = Errors::of(&ensemble(some), &people);
            assert!(errors.worst() < ALLOWED, "{correction} {dissent:?}: {errors:?}");
        }
    }
}

/// The responses one by one, with no moves but those after each; then some are withdrawn.
#[test]
fn follows_one_response_after_the_other() {
    // Three people who say anything would leave every place divided, and chains that find that out slowly.
    for (said, dissent) in [(responses(5, 1), None), (nested(5, 2), Some(0.2))] {
        let nothing = evidence(5, settings(Trees::Taxonomy, dissent), &[]);
        let start = EnsembleSettings { trees: CHAINS, ..EnsembleSettings::for_concepts(5) };
        let mut belief = Ensemble::new(nothing, start).unwrap();
        let mut ids = Vec::new();
        for response in said {
            ids.push((belief.respond(response.clone()).unwrap(), response));
        }
        let error = |belief: &Ensemble| {
            Errors::of(belief, &people(belief.evidence(), Trees::Taxonomy, Reading::Right)).worst()
        };
        assert!(error(&belief) < ALLOWED, "{}", error(&belief));
        for (id, response) in ids.into_iter().step_by(3) {
            assert_eq!(belief.withdraw(id).unwrap(), response);
            assert!(belief.withdraw(id).is_err());
        }
        assert!(error(&belief) < ALLOWED, "{}", error(&belief));
    }
}

/// What an engine knows depends on the responses that count, in whatever order they came, and whatever was withdrawn.
#[test]
fn order_does_not_matter() {
    let settings = || Settings { noise: own_rates(), ..Settings::one_rate(0.1).unwrap() };
    let mut all = responses(5, 3);
    let straight = Exact::new(evidence(5, settings(), &all)).unwrap();
    all.reverse();
    let mut reversed = Exact::new(evidence(5, settings(), &all)).unwrap();
    let ids: Vec<_> = responses(5, 4).into_iter().map(|more| reversed.respond(more).unwrap()).collect();
    ids.into_iter().for_each(|id| _ = reversed.withdraw(id).unwrap());
    assert_eq!(straight.log_partition().to_bits(), reversed.log_partition().to_bits());
    let shown = |belief: &Exact, response: &Response| match &response.screen {
        Screen::Place { lower } => {
            belief.evidence().was_shown(response.worker, response.screen.form(), Concept::ROOT, *lower)
        }
        _ => true,
    };
    assert!(all.iter().all(|response| shown(&reversed, response)));
}

/// Scores of pairs can hold places, and ticks of one box; and they say so where they cannot hold a response.
#[test]
fn exact_knows_what_it_can_hold() {
    let plain = || Settings { noise: own_rates(), ..Settings::one_rate(0.1).unwrap() };
    let held = |response: &Response| match &response.screen {
        Screen::Pick { .. } => false,
        Screen::Tick { options, .. } => options.len() == 1 || response.reply == Reply::None,
        _ => true,
    };
    let simple: Vec<Response> = responses(4, 5).into_iter().chain(responses(4, 6)).filter(held).collect();
    assert!(simple.len() > 15);
    let some = evidence(4, plain(), &simple);
    let exact = Exact::new(some.clone()).unwrap();
    assert!(!exact.is_approximate());
    let people = people(&some, Trees::Uniform, Reading::Right);
    for lower in Concept::all(4) {
        for (parent, chance) in exact.parents(lower) {
            assert!((chance - people.parents[lower.index()][parent.index()]).abs() < 1e-9);
        }
    }
    let mut exact = exact;
    let [one, two, three] = [1, 2, 3].map(Concept::new);
    let pick = Screen::pick(one, vec![two, three]).unwrap();
    exact.respond(Response::new(Worker::new(0), pick, Reply::Picked(two)).unwrap()).unwrap();
    assert!(exact.is_approximate());
}

/// The paper's engine weighs its trees by every form, and is approximate as it is with votes.
#[test]
fn weights_follow_every_form() {
    let [one, two, three, _] = [1, 2, 3, 4].map(Concept::new);
    let nothing = Evidence::new(4, Settings::one_rate(0.05).unwrap()).unwrap();
    let mut belief = Weights::new(nothing, WeightsSettings::default()).unwrap();
    let mut say = |screen: Screen, reply: Reply| {
        belief.respond(Response::new(Worker::new(0), screen, reply).unwrap()).unwrap()
    };
    say(Screen::pick(one, vec![two, three]).unwrap(), Reply::Picked(two));
    say(Screen::tick(three, vec![one, two]).unwrap(), Reply::Ticked(vec![one, two]));
    say(Screen::place(three).unwrap(), Reply::Top);
    assert!(
        belief.path(two, one) > 0.8 && belief.path(three, two) > 0.8 && belief.parents(three)[0].0.is_root()
    );
    assert_eq!(belief.health().verdict, Verdict::Approximate);
}

#[test]
fn concepts_come_and_go() {
    for dissent in [None, Some(0.2)] {
        let some = evidence(5, settings(Trees::Uniform, dissent), &responses(5, 21));
        let mut belief = ensemble(some);
        belief.remove_concept(Concept::new(2), EdgeVotes::Weaken).unwrap();
        belief.sweep(SWEEPS);
        let check = |belief: &Ensemble| {
            let people = people(belief.evidence(), Trees::Uniform, Reading::Right);
            let errors = Errors::of(belief, &people);
            assert!(errors.worst() < ALLOWED, "{errors:?}");
        };
        check(&belief);
        belief.merge(Concept::new(4), Concept::new(1)).unwrap();
        belief.sweep(SWEEPS);
        check(&belief);
        belief.add_concept(EdgeVotes::Weaken).unwrap();
        belief.sweep(SWEEPS);
        check(&belief);
    }
}
