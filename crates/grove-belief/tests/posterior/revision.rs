//! The bits of every engine, stored with the revision that they belong to.

use grove_belief::{
    Answer, Belief, BetaPrior, Correction, Dissent, ENGINE_REVISION, EdgeVotes, Ensemble, EnsembleSettings,
    Evidence, Exact, Kind, Noise, Prior, PseudoWorker, Question, Rates, Relation, Response, Settings, Solver,
    Vote, Weights, WeightsSettings, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};
use grove_vocabulary::{Reply, Screen};

use crate::cases::{evidence, rng, votes};

/// The revision at which the digests below were made.
const MADE_AT: u32 = 6;

/// What every engine comes to on [`campaign`].
const DIGESTS: [(&str, u64); 5] = [
    ("exact", 0x73c0_ee6b_854c_613e),
    ("ensemble with given rates", 0xb75f_180f_6184_1f58),
    ("ensemble with learnt rates", 0xd7fd_3643_80d4_f4d6),
    ("weights", 0x4390_4f36_c0ff_4680),
    ("ensemble with pseudo-workers", 0xa3d1_6acd_b856_ed75),
];

#[test]
fn bits_change_only_with_the_revision() {
    let chains = EnsembleSettings { trees: 60, moves: 8, seed: 5 };
    let fits = WeightsSettings { samples: 1_000, beta: 1e-3, solver: Solver::Fast, seed: 5 };
    let found = [
        (DIGESTS[0].0, digest(&campaign(Exact::new(first(given_rates())).unwrap()))),
        (DIGESTS[1].0, digest_of_chains(Ensemble::new(first(differing()), chains).unwrap())),
        (DIGESTS[2].0, digest_of_chains(Ensemble::new(first(learnt_rates()), chains).unwrap())),
        (DIGESTS[3].0, digest(&campaign(Weights::new(first(given_rates()), fits).unwrap()))),
        (DIGESTS[4].0, digest_of_chains(Ensemble::new(hinted(first(learnt_rates())), chains).unwrap())),
    ];
    if ENGINE_REVISION == MADE_AT {
        assert_eq!(
            found, DIGESTS,
            "the same log, settings and seed give other bits than at revision {MADE_AT}. If that is intended, raise \
             ENGINE_REVISION by one, then set MADE_AT to it and DIGESTS to {found:#x?}"
        );
    } else {
        panic!("ENGINE_REVISION was raised: set MADE_AT to {ENGINE_REVISION} and DIGESTS to {found:#x?}");
    }
}

/// Settings with every number written out, so that new defaults change no bit.
fn given_rates() -> Settings {
    let known = vec![Rates::one(0.05).unwrap(), Rates::three(0.8, 0.4, 0.1).unwrap()];
    let prior = Prior::shallow(0.3).unwrap().few_parents(0.6).unwrap();
    Settings {
        noise: Noise::Workers { known, others: Rates::two(0.2, 0.15).unwrap() },
        dissent: None,
        prior: prior.with_odds(Concept::new(1), Concept::new(5), 0.7).unwrap(),
    }
}

fn learnt_rates() -> Settings {
    let [above, reversed, neither] =
        [(3.2, 0.8), (1.0, 2.5), (0.8, 3.2)].map(|(yes, no)| BetaPrior { yes, no });
    let prior = WorkerPrior::three(above, reversed, neither).unwrap().with_unread(0.15).unwrap();
    Settings { noise: Noise::Learnt(prior), ..differing() }
}

/// The same where people may differ, which the ensemble alone knows of.
fn differing() -> Settings {
    Settings { dissent: Some(Dissent::new(0.1).unwrap()), ..given_rates() }
}

const COUNT: usize = 7;
const KINDS: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

/// The evidence that an engine is built on.
fn first(settings: Settings) -> Evidence {
    evidence(COUNT, settings, &votes(COUNT, 12, KINDS, &mut rng(21)))
}

/// The same with what names and an earlier hierarchy say.
fn hinted(mut evidence: Evidence) -> Evidence {
    let [names, hierarchy] = [8, 9].map(Worker::new);
    evidence.introduce(names, PseudoWorker::Names).unwrap();
    evidence.introduce(hierarchy, PseudoWorker::Hierarchy).unwrap();
    for (upper, lower) in [(2, 3), (2, 5), (4, 6)] {
        let [upper, lower] = [upper, lower].map(Concept::new);
        let question = Question::edge(upper, lower).unwrap();
        evidence.hint(Vote { question, worker: names, answer: Answer::Yes }.into()).unwrap();
        let screen = Screen::place(lower).unwrap();
        evidence.hint(Response::new(hierarchy, screen, Reply::Under(upper)).unwrap()).unwrap();
    }
    evidence
}

/// Every kind of change: votes recorded and withdrawn, gold answers, corrections made and undone, concepts added, merged and removed.
fn campaign<B: Belief>(mut belief: B) -> B {
    let mut rng = rng(22);
    for vote in votes(COUNT, 16, KINDS, &mut rng) {
        let id = belief.record(vote).unwrap();
        if vote.answer == Answer::No && vote.worker == Worker::new(0) {
            belief.withdraw(id).unwrap();
        }
    }
    belief.record_gold(Worker::new(1), true, Answer::No).unwrap();
    belief.record_gold(Worker::new(1), false, Answer::No).unwrap();
    let [one, two, three, four, six] = [1, 2, 3, 4, 6].map(Concept::new);
    let undone = belief.correct(Correction::DirectlyUnder { lower: three, upper: two }).unwrap();
    belief.correct(Correction::NotUnder { lower: two, upper: one }).unwrap();
    belief.correct(Correction::SomewhereUnder { lower: six, upper: two }).unwrap();
    let added = belief.add_concept(EdgeVotes::Weaken).unwrap();
    belief.correct(Correction::TopLevel { concept: two }).unwrap();
    belief.take_back(undone).unwrap();
    belief.merge(four, added).unwrap();
    belief.remove_concept(one, EdgeVotes::Keep).unwrap();
    belief.add_concept(EdgeVotes::Keep).unwrap();
    for vote in votes(COUNT, 8, KINDS, &mut rng) {
        belief.record(vote).unwrap();
    }
    belief
}

/// The digest of an ensemble, with votes taken in together, sweeps, and every chain's tree, divided concepts and rates.
fn digest_of_chains(ensemble: Ensemble) -> u64 {
    let mut ensemble = campaign(ensemble);
    ensemble.record_all(&votes(COUNT, 6, KINDS, &mut rng(23)), 1).unwrap();
    ensemble.sweep(1);
    let mut digest = Fnv(digest(&ensemble));
    ensemble.trees().for_each(|tree| digest.tree(&tree));
    for rates in (0..4).flat_map(|worker| ensemble.rate_draws(Worker::new(worker))) {
        let relations = [Relation::Above, Relation::Reversed, Relation::Neither];
        relations.iter().for_each(|&relation| digest.number(rates.yes(relation).to_bits()));
    }
    for divided in ensemble.draws().flat_map(|draw| draw.divided) {
        digest.number(divided.concept.index() as u64);
        digest.number(divided.second.index() as u64);
        digest.number(divided.share.to_bits());
    }
    ensemble.refined().trees().for_each(|tree| digest.tree(&tree));
    digest.0
}

/// The digest of what every belief can tell.
fn digest(belief: &impl Belief) -> u64 {
    let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
    let count = belief.evidence().count();
    for lower in Concept::all(count) {
        for upper in Concept::all(count) {
            digest.number(belief.path(upper, lower).to_bits());
        }
        // Normalised for whoever reads them: the last bits are no part of the belief.
        for (parent, chance) in belief.parents(lower) {
            digest.number(parent.index() as u64);
            digest.number((chance * 2.0_f64.powi(40)).round() as u64);
        }
    }
    digest.tree(&belief.best_tree());
    belief.sample(50, &mut rng(24)).iter().for_each(|tree| digest.tree(tree));
    digest.0
}

/// The hash of Fowler, Noll and Vo (FNV-1a), a number at a time.
struct Fnv(u64);

impl Fnv {
    fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn tree(&mut self, tree: &Tree) {
        tree.parents().iter().for_each(|parent| self.number(parent.index() as u64));
    }
}
