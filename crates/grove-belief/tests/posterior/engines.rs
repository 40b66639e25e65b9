//! The engines under the laws, and engines with a fault that the laws must notice.

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Exact, Question, Settings, Vote, Weights, WeightsSettings,
    Worker,
};
use grove_tree::Concept;

use crate::cases::evidence;
use crate::laws::{
    Subject, cant_say, corrections_hold, later, laws, new_concept, order, parents_off_by, removed_concept,
    renaming, taken_back, withdrawn,
};

const TOLERANCE: f64 = 1e-12;

fn exact() -> Subject<Exact> {
    Subject { make: |evidence| Exact::new(evidence).unwrap(), settle: |_| {}, cases: 40 }
}

#[test]
fn exact_keeps_the_laws() {
    for (law, difference) in exact().differences() {
        assert!(difference < TOLERANCE, "{law}: {difference}");
    }
}

#[test]
fn exact_leaves_no_trace_of_what_is_gone() {
    let same_bits: [fn(&Subject<Exact>, u64) -> f64; 7] =
        [order, later, cant_say, withdrawn, taken_back, new_concept, removed_concept];
    for law in same_bits {
        assert!((0..40).all(|seed| law(&exact(), seed) == 0.0));
    }
}

/// Names of the laws that an engine breaks.
fn broken(subject: Subject<Exact>) -> Vec<&'static str> {
    let differences = subject.differences().into_iter();
    differences.filter(|(_, difference)| *difference > 1e-3).map(|(law, _)| law).collect()
}

#[test]
fn crooked_engines_are_caught() {
    let forgets_the_last_vote = Subject {
        make: |mut evidence| {
            let last = evidence.votes().last().map(|(id, _)| id);
            last.map(|id| evidence.withdraw(id));
            Exact::new(evidence).unwrap()
        },
        ..exact()
    };
    let favours_one_concept = Subject {
        make: |mut evidence| {
            evidence.record(yes(1, 2)).unwrap();
            Exact::new(evidence).unwrap()
        },
        ..exact()
    };
    let believes_every_coin = Subject {
        make: |original| {
            let votes = Vec::from_iter(original.votes().map(|(_, vote)| *vote));
            let noise = Settings::one_rate(0.4).unwrap().noise;
            let settings = Settings { noise, ..original.settings().clone() };
            Exact::new(evidence(original.count(), settings, &votes)).unwrap()
        },
        ..exact()
    };
    let invents_on_change = Subject {
        settle: |belief: &mut Exact| {
            belief.record(yes(2, 1)).unwrap();
        },
        ..exact()
    };
    let ignores_the_owner = Subject {
        settle: |belief: &mut Exact| {
            let ids = Vec::from_iter(belief.evidence().corrections().iter().map(|(id, _)| id));
            for id in ids {
                belief.take_back(id).unwrap();
            }
        },
        ..exact()
    };
    let caught = [
        broken(forgets_the_last_vote),
        broken(favours_one_concept),
        broken(believes_every_coin),
        broken(invents_on_change),
    ]
    .concat();
    assert_eq!(corrections_hold(&ignores_the_owner, 0), 1.0);
    // These have controls of their own: the line above, and odd lists of parents.
    let others = ["probabilities are probabilities", "corrections hold"];
    let missed = laws::<Exact>().into_iter().map(|(law, _)| law).filter(|law| !caught.contains(law));
    assert_eq!(missed.collect::<Vec<_>>(), others);
}

fn yes(upper: usize, lower: usize) -> Vote {
    let question = Question::path(Concept::new(upper), Concept::new(lower)).unwrap();
    Vote { question, worker: Worker::new(0), answer: Answer::Yes }
}

#[test]
fn odd_lists_of_parents_are_caught() {
    let [one, two] = [1, 2].map(Concept::new);
    let off_by =
        |parents: &[(Concept, f64)]| parents_off_by(parents, |parent| if parent == two { 0.3 } else { 1.0 });
    assert_eq!(off_by(&[(one, 0.5), (Concept::ROOT, 0.25), (two, 0.25)]), 0.0);
    assert_eq!(off_by(&[(one, 0.5), (two, 0.25)]), 0.25);
    assert!(off_by(&[(one, 0.5), (two, 0.5)]) > 0.1);
    assert_eq!(off_by(&[(Concept::ROOT, 0.25), (one, 0.5), (two, 0.25)]), 1.0);
    assert_eq!(off_by(&[(one, 0.5), (two, 0.25), (Concept::ROOT, 0.25)]), 1.0);
    assert_eq!(off_by(&[(one, 1.0), (two, 0.0)]), 1.0);
}

const TREES: usize = 2_000;

/// Four standard errors of a difference between two shares of that many trees each.
const SAMPLED: f64 = 0.0633;

fn ensemble() -> Subject<Ensemble> {
    Subject {
        make: |evidence| {
            let settings =
                EnsembleSettings { trees: TREES, ..EnsembleSettings::for_concepts(evidence.count()) };
            Ensemble::new(evidence, settings).unwrap()
        },
        settle: |belief| belief.sweep(5),
        cases: 2,
    }
}

#[test]
fn the_ensemble_keeps_the_laws() {
    for (law, difference) in ensemble().differences() {
        assert!(difference < SAMPLED, "{law}: {difference}");
    }
    assert!((0..4).all(|seed| corrections_hold(&ensemble(), seed) == 0.0));
}

#[test]
fn a_crooked_ensemble_is_caught() {
    let favours_one_concept = Subject {
        make: |mut evidence| {
            evidence.record(yes(1, 2)).unwrap();
            (ensemble().make)(evidence)
        },
        ..ensemble()
    };
    let invents_on_change = Subject {
        settle: |belief: &mut Ensemble| {
            belief.record(yes(2, 1)).unwrap();
        },
        ..ensemble()
    };
    assert!(renaming(&favours_one_concept, 0) > 2.0 * SAMPLED);
    for law in [later, withdrawn, taken_back, new_concept, removed_concept] {
        assert!((0..2).any(|seed| law(&invents_on_change, seed) > 2.0 * SAMPLED));
    }
}

#[test]
fn no_engine_answers_for_a_concept_that_is_not_there() {
    let made = || evidence(4, Settings::one_rate(0.1).unwrap(), &[yes(1, 2)]);
    let engines: [Box<dyn Belief>; 3] = [
        Box::new(Exact::new(made()).unwrap()),
        Box::new(Ensemble::new(made(), EnsembleSettings::for_concepts(4)).unwrap()),
        Box::new(
            Weights::new(made(), WeightsSettings { samples: 1_000, ..WeightsSettings::default() }).unwrap(),
        ),
    ];
    let refuses = |ask: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)).is_err();
    let (one, gone) = (Concept::new(1), Concept::new(5));
    for engine in &engines {
        assert!(refuses(&|| _ = engine.path(one, gone)), "{}", engine.engine());
        assert!(refuses(&|| _ = engine.path(gone, one)), "{}", engine.engine());
        assert!(refuses(&|| _ = engine.parents(gone)), "{}", engine.engine());
    }
}
