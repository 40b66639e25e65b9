//! Workers who are no people: names, and a hierarchy that was there before.

use grove_belief::{
    Answer, Asking, Belief, Ensemble, EnsembleSettings, Error, Evidence, Exact, LEAST_GAIN_PER_SECOND, Noise,
    Prior, PseudoWorker, Question, Reason, Relation, Report, ReportOptions, Response, Settings, Vote, Why,
    Worker, WorkerPrior, choose_screen,
};
use grove_tree::Concept;
use grove_vocabulary::{Form, Reply, Screen};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

const NAMES: Worker = Worker::new(0);
const HIERARCHY: Worker = Worker::new(1);
const ANN: Worker = Worker::new(2);

fn concepts<const N: usize>() -> [Concept; N] {
    std::array::from_fn(|at| Concept::new(at + 1))
}

fn says(worker: Worker, upper: Concept, lower: Concept, answer: Answer) -> Response {
    Vote { question: Question::path(upper, lower).expect("it is valid"), worker, answer }.into()
}

fn names(head: Concept, lower: Concept) -> Response {
    let question = Question::edge(head, lower).expect("it is valid");
    Vote { question, worker: NAMES, answer: Answer::Yes }.into()
}

fn places(upper: Concept, lower: Concept) -> Response {
    let reply = if upper.is_root() { Reply::Top } else { Reply::Under(upper) };
    Response::new(HIERARCHY, Screen::place(lower).expect("it is valid"), reply).expect("it is valid")
}

fn introduced(count: usize, settings: Settings) -> Evidence {
    let mut evidence = Evidence::new(count, settings).expect("it is valid");
    evidence.introduce(NAMES, PseudoWorker::Names).expect("it is valid");
    evidence.introduce(HIERARCHY, PseudoWorker::Hierarchy).expect("it is valid");
    evidence
}

fn odds(chance: f64) -> f64 {
    chance / (1.0 - chance)
}

#[test]
fn a_head_is_the_parent_with_the_odds_of_its_share() {
    let [jacket, leather, ..] = concepts::<5>();
    let mut evidence = introduced(5, Settings::one_rate(0.1).unwrap());
    let before = Exact::new(evidence.clone()).unwrap();
    evidence.hint(names(jacket, leather)).unwrap();
    let after = Exact::new(evidence.clone()).unwrap();
    // Half of such pairs hold, and the odds of any parent are 1/5: .5 / (.5 / 5).
    let parent = |belief: &Exact| {
        let parents = belief.parents(leather);
        parents.iter().find(|(parent, _)| *parent == jacket).expect("it is possible").1
    };
    let raised = odds(parent(&after)) / odds(parent(&before));
    assert!((raised - 5.0).abs() < 1e-6, "{raised}");
    let ensemble = Ensemble::new(evidence, EnsembleSettings::for_concepts(5)).unwrap();
    for upper in concepts::<5>() {
        for lower in concepts::<5>().into_iter().filter(|lower| *lower != upper) {
            let (one, other) = (ensemble.path(upper, lower), after.path(upper, lower));
            assert!((one - other).abs() < 0.1, "{upper} above {lower}: {one} {other}");
        }
    }
}

#[test]
fn names_are_believed_as_far_as_people_bear_them_out() {
    let [head, other, .., last] = concepts::<9>();
    let lower = || concepts::<9>().into_iter().skip(2);
    // The name of the first concept is the head of all but the second; people are asked about both of them and all but the last of the others.
    let believed = |of_head: Answer, of_other: Answer| {
        let mut evidence = introduced(9, Settings::default());
        for lower in lower() {
            evidence.hint(names(head, lower)).unwrap();
            for worker in (0..4).map(|number| Worker::new(2 + number)).filter(|_| lower != last) {
                evidence.respond(says(worker, head, lower, of_head)).unwrap();
                evidence.respond(says(worker, other, lower, of_other)).unwrap();
            }
        }
        let belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(9)).unwrap();
        (belief.path(head, last), belief.rates(NAMES).yes(Relation::Above))
    };
    let (true_names, mostly) = believed(Answer::Yes, Answer::No);
    let (false_names, rarely) = believed(Answer::No, Answer::Yes);
    assert!(mostly > 0.7 && rarely < 0.3, "{mostly} {rarely}");
    assert!(true_names > 0.8 && false_names < 0.3, "{true_names} {false_names}");
}

#[test]
fn a_hierarchy_is_a_start_that_people_can_overrule() {
    let [fruit, vegetable, apple, tomato] = concepts::<4>();
    let mut evidence = introduced(4, Settings::default());
    for (upper, lower) in
        [(Concept::ROOT, fruit), (Concept::ROOT, vegetable), (fruit, apple), (vegetable, tomato)]
    {
        evidence.hint(places(upper, lower)).unwrap();
    }
    let parent = |evidence: &Evidence, child| {
        let belief = Ensemble::new(evidence.clone(), EnsembleSettings::for_concepts(4)).unwrap();
        belief.parents(child)[0].0
    };
    assert_eq!([parent(&evidence, apple), parent(&evidence, tomato)], [fruit, vegetable]);
    for worker in 0..6 {
        let worker = Worker::new(2 + worker);
        evidence.respond(says(worker, vegetable, tomato, Answer::No)).unwrap();
        evidence.respond(says(worker, fruit, tomato, Answer::Yes)).unwrap();
    }
    assert_eq!([parent(&evidence, apple), parent(&evidence, tomato)], [fruit, fruit]);
}

#[test]
fn nothing_counts_them_and_why_names_them() {
    let [jacket, leather, ..] = concepts::<3>();
    let mut evidence = introduced(3, Settings::default());
    evidence.hint(names(jacket, leather)).unwrap();
    evidence.hint(places(jacket, leather)).unwrap();
    let question = Question::path(jacket, leather).unwrap();
    assert_eq!((evidence.recorded(), evidence.tally(question)), (0, (0, 0)));
    assert!(!evidence.has_answered(NAMES, question) && evidence.responses().next().is_none());
    evidence.respond(says(ANN, jacket, leather, Answer::Yes)).unwrap();
    let belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(3)).unwrap();
    let report = Report::of(&belief, &ReportOptions::default());
    assert_eq!((report.votes.total(), report.screens, report.questions), (1, 1, 1));
    assert_eq!(report.workers.iter().map(|worker| worker.worker).collect::<Vec<_>>(), [ANN]);
    assert_eq!(report.concepts[2].reasons, [Reason::Unasked], "nobody was asked about the third");
    let why = Why::of(&belief, leather, Some(jacket)).unwrap();
    assert_eq!(why.direct.len(), 1);
    let mut who: Vec<Worker> = why.hints.iter().map(|(hint, _)| hint.worker).collect();
    who.sort_unstable();
    assert_eq!(who, [NAMES, HIERARCHY]);
    assert!(why.hints.iter().all(|(_, influence)| *influence > 0.0));
}

#[test]
fn what_they_say_follows_the_concepts() {
    let [jacket, leather, denim] = concepts::<3>();
    let mut evidence = introduced(3, Settings::default());
    evidence.hint(names(jacket, leather)).unwrap();
    evidence.hint(names(jacket, denim)).unwrap();
    evidence.remove_concept(leather, grove_belief::EdgeVotes::Keep).unwrap();
    assert_eq!(evidence.hints(), [names(jacket, leather)], "denim is the second now");
    evidence.keep_hints(|_| false);
    assert!(evidence.hints().is_empty());
    let pick = Screen::pick(jacket, vec![leather]).unwrap_err();
    assert!(pick.to_string().contains("2 to 8 options"));
    assert_eq!(evidence.hint(says(ANN, jacket, leather, Answer::Yes)), Err(Error::NoHint));
    assert_eq!(evidence.hint(says(NAMES, jacket, leather, Answer::Yes)), Err(Error::NoHint), "a path");
}

/// All that end in *pan* are pans, but a stewing pan is a saucepan: nobody said so yet.
#[test]
fn an_owner_is_asked_about_places_that_only_names_speak_for() {
    let [pan, saucepan, boiler, frying, stewing] = concepts::<5>();
    let settings =
        Settings { noise: Noise::Learnt(WorkerPrior::careful()), dissent: None, prior: Prior::taxonomy() };
    let mut evidence = introduced(5, settings);
    for lower in [frying, stewing] {
        evidence.hint(names(pan, lower)).unwrap();
    }
    let answers = [
        (Screen::place(pan).unwrap(), Reply::Top),
        (Screen::place(saucepan).unwrap(), Reply::Under(pan)),
        (Screen::place(boiler).unwrap(), Reply::Under(saucepan)),
        (Screen::place(frying).unwrap(), Reply::Under(pan)),
        (Screen::tick(pan, vec![stewing]).unwrap(), Reply::Ticked(vec![stewing])),
    ];
    for (screen, reply) in answers {
        evidence.respond(Response::new(ANN, screen, reply).unwrap()).unwrap();
    }
    let next = |belief: &Ensemble, forms: &[Form]| {
        let asking = Asking { known_from: Asking::owner().known_from, ..Asking::with(forms) };
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let best = choose_screen(belief, &asking, ANN, &|_| false, rng);
        best.filter(|best| best.rate() >= LEAST_GAIN_PER_SECOND).map(|best| best.screen)
    };
    let mut belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(5)).unwrap();
    assert_eq!(next(&belief, &Form::ALL), Some(Screen::Place { lower: stewing }));
    let asked = next(&belief, &[Form::YesNo]).expect("there is something to ask");
    assert_eq!(asked, Question::path(saucepan, stewing).unwrap().into());
    belief
        .respond(Response::new(ANN, Screen::place(stewing).unwrap(), Reply::Under(saucepan)).unwrap())
        .unwrap();
    assert_eq!(belief.parents(stewing)[0].0, saucepan);
    assert_ne!(next(&belief, &Form::ALL), Some(Screen::Place { lower: stewing }), "it was answered");
}
