//! Same log, settings and seed: same bits, whatever the machine is doing.

use grove_belief::{
    Answer, Belief, BetaPrior, Candidate, Correction, Dissent, EdgeVotes, Ensemble, EnsembleSettings, Health,
    Kind, Noise, Prior, Question, Rates, Settings, Vote, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};
use rayon::ThreadPoolBuilder;

use crate::cases::{evidence, rng, votes};

const COUNT: usize = 9;
const KINDS: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

/// Given and learnt rates. Every number is named, so that new defaults change no bit.
fn readings() -> [Settings; 2] {
    let [mostly, rarely] = [(3.2, 0.8), (0.8, 3.2)].map(|(yes, no)| BetaPrior { yes, no });
    let learnt = Settings {
        noise: Noise::Learnt(WorkerPrior::two(mostly, rarely).unwrap()),
        dissent: Some(Dissent::new(0.05).unwrap()),
        prior: Prior::shallow(0.5).unwrap(),
    };
    [Settings::one_rate(0.1).unwrap(), learnt]
}

/// A small campaign with a little of everything.
fn campaign(settings: Settings, seed: u64) -> Ensemble {
    let mut rng = rng(1);
    let first = evidence(COUNT, settings, &votes(COUNT, 10, KINDS, &mut rng));
    let mut belief = Ensemble::new(first, EnsembleSettings { trees: 70, moves: 8, seed }).unwrap();
    for vote in votes(COUNT, 20, KINDS, &mut rng) {
        let id = belief.record(vote).unwrap();
        if vote.answer == Answer::No && vote.worker == Worker::new(0) {
            belief.withdraw(id).unwrap();
        }
    }
    belief.correct(Correction::NotUnder { lower: Concept::new(2), upper: Concept::new(1) }).unwrap();
    belief.add_concept(EdgeVotes::Weaken).unwrap();
    belief.merge(Concept::new(4), Concept::new(7)).unwrap();
    belief.remove_concept(Concept::new(6), EdgeVotes::Keep).unwrap();
    belief.sweep(2);
    belief
}

/// All that can be read off a belief.
type Everything = (Vec<Tree>, Vec<Second>, Vec<Vec<Rates>>, Vec<Candidate>, Tree, Health);

/// A divided concept, its second place, and the share of people who hold it.
type Second = (Concept, Concept, f64);

/// Of all chains, one after the other.
fn seconds(belief: &Ensemble) -> Vec<Second> {
    let of_all = belief.draws().flat_map(|draw| draw.divided);
    of_all.map(|divided| (divided.concept, divided.second, divided.share)).collect()
}

fn everything(belief: &Ensemble) -> Everything {
    let rates = (0..4).map(|worker| belief.rate_draws(Worker::new(worker))).collect();
    let trees = belief.trees().collect();
    (trees, seconds(belief), rates, belief.candidates(), belief.best_tree(), belief.health())
}

fn with_threads(threads: usize, settings: &Settings, seed: u64) -> Everything {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| everything(&campaign(settings.clone(), seed)))
}

#[test]
fn one_thread_or_several() {
    for settings in readings() {
        let alone = with_threads(1, &settings, 5);
        assert_eq!(alone, with_threads(2, &settings, 5));
        assert_eq!(alone, with_threads(3, &settings, 5));
        assert_ne!(alone.0, with_threads(2, &settings, 6).0);
    }
}

/// FNV-1a over the parents of all trees, and over second places and their shares.
fn digest(belief: &Ensemble) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for tree in belief.trees() {
        for parent in tree.parents() {
            hash = (hash ^ parent.index() as u64).wrapping_mul(0x0100_0000_01b3);
        }
    }
    for (concept, second, share) in seconds(belief) {
        for number in [concept.index() as u64, second.index() as u64, share.to_bits()] {
            hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// A change of these numbers means that beliefs kept from before no longer replay to the same bits: say so in the changelog, then change them.
#[test]
fn the_same_trees_as_ever() {
    let digests = readings().map(|settings| digest(&campaign(settings, 5)));
    assert_eq!(digests, [0xbf36_d57e_7886_4b9f, 0x8a81_7d3e_05dc_84a0], "{digests:#x?}");
}

#[test]
fn a_different_log_is_noticed() {
    let [settings, _] = readings();
    let (one, other) = (campaign(settings.clone(), 5), campaign(settings, 5));
    assert_eq!(digest(&one), digest(&other));
    let mut other = other;
    let question = Question::path(Concept::new(1), Concept::new(3)).unwrap();
    other.record(Vote { question, worker: Worker::new(0), answer: Answer::Yes }).unwrap();
    assert_ne!(digest(&one), digest(&other));
}
