use proptest::prelude::*;

use super::*;
use crate::Correction;
use crate::corrections::CorrectionId;
use crate::{Answer, Candidate, EdgeVotes, Evidence, Rates, Settings, Vote, VoteId, Worker};

fn tree(parents: &[usize]) -> Tree {
    Tree::from_parents(&parents.iter().copied().map(Concept::new).collect::<Vec<_>>()).unwrap()
}

fn certainties(lists: &[&[(usize, f64)]]) -> Certainties {
    let list = |list: &&[(usize, f64)]| list.iter().map(|&(at, p)| (Concept::new(at), p)).collect();
    Certainties::new(lists.iter().map(list).collect()).unwrap()
}

/// Three concepts; truth 0-1-2, 0-3. The parent of 1 is clear, that of 2 a tie, that of 3 wrong.
fn example() -> (Certainties, Tree) {
    let lists: [&[(usize, f64)]; 3] = [&[(3, 0.2), (0, 0.8)], &[(1, 0.5), (0, 0.5)], &[(2, 1.0)]];
    (certainties(&lists), tree(&[0, 1, 0]))
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn parents_come_likeliest_first() {
    let (certainties, _) = example();
    assert_eq!(certainties.parents(Concept::new(1))[0], (Concept::ROOT, 0.8));
    assert_eq!(certainties.parents(Concept::new(2))[0], (Concept::ROOT, 0.5));
    assert_eq!(certainties.parent(Concept::new(3), Concept::new(1)), 0.2);
    assert_eq!(certainties.parent(Concept::new(2), Concept::new(1)), 0.0);
}

#[test]
fn adds_up_by_hand() {
    let (certainties, truth) = example();
    // True edges 0.8, 0.5 and 0 (unlisted) against false ones 0.2, 0.5, 1 and three times 0: 5 + 4.5 + 1.5 of 18.
    close(certainties.edge_auc(&truth).unwrap(), 11.0 / 18.0);
    close(certainties.parents_right(&truth), 1.0 / 3.0);
    close(certainties.brier(&truth), (0.04 + 0.04 + 0.25 + 0.25 + 1.0 + 1.0) / 3.0);
    // 0.8 right, 0.5 reported as the root and wrong, 1 wrong: each alone in its bin.
    close(certainties.calibration_error(&truth).unwrap(), (0.2 + 0.5 + 1.0) / 3.0);
    assert_eq!(certainties.log_loss(&truth), None);
    let under_root = tree(&[0, 1, 2]);
    close(certainties.log_loss(&under_root).unwrap(), -(0.8_f64.ln() + 0.5_f64.ln()) / 3.0);
}

#[test]
fn near_ties_are_ties() {
    let truth = tree(&[0, 1]);
    let by_rounding = [&[(0, 1.0)][..], &[(1, 0.5 + 1e-12), (0, 0.5 - 1e-12)]];
    assert_eq!(certainties(&by_rounding).parents_right(&truth), 0.5);
    let by_evidence = [&[(0, 1.0)][..], &[(1, 0.5 + 1e-6), (0, 0.5 - 1e-6)]];
    assert_eq!(certainties(&by_evidence).parents_right(&truth), 1.0);
}

#[test]
fn a_certain_and_right_belief_is_perfect() {
    let truth = tree(&[0, 1, 1, 3]);
    let certainties = Certainties::of_trees([&truth]).unwrap();
    assert_eq!(certainties.edge_auc(&truth), Some(1.0));
    assert_eq!(certainties.parents_right(&truth), 1.0);
    assert_eq!((certainties.brier(&truth), certainties.log_loss(&truth)), (0.0, Some(0.0)));
    assert_eq!(certainties.calibration_error(&truth), Some(0.0));
}

#[test]
fn one_concept_has_no_false_edge() {
    let truth = tree(&[0]);
    assert_eq!(Certainties::of_trees([&truth]).unwrap().edge_auc(&truth), None);
}

#[test]
fn shares_of_trees_and_their_distance() {
    let (a, b) = (tree(&[0, 1, 1]), tree(&[0, 1, 2]));
    let shares = Certainties::of_trees([&a, &a, &a, &b]).unwrap();
    let three = Concept::new(3);
    assert_eq!(shares.parents(three), [(Concept::new(1), 0.75), (Concept::new(2), 0.25)]);
    let only_a = Certainties::of_trees([&a]).unwrap();
    close(shares.distance_at(&only_a, three), 0.25);
    close(only_a.distance_at(&shares, three), 0.25);
    close(shares.distance(&only_a), 0.25 / 3.0);
    close(only_a.distance(&Certainties::of_trees([&b]).unwrap()), 1.0 / 3.0);
    // A parent listed with probability 0 is as one not listed.
    let listed = certainties(&[&[(0, 1.0)], &[(1, 1.0)], &[(1, 1.0), (2, 0.0)]]);
    assert_eq!(listed.distance(&shares), only_a.distance(&shares));
    assert_eq!(listed.edge_auc(&b), only_a.edge_auc(&b));
}

#[test]
fn errors_name_the_problem() {
    let problem = |list: &[(usize, f64)]| {
        let first = list.iter().map(|&(at, p)| (Concept::new(at), p)).collect();
        Certainties::new(vec![first, Vec::new()]).unwrap_err().to_string()
    };
    for bad in [f64::NAN, -0.1, 1.1] {
        assert_eq!(
            problem(&[(0, bad)]),
            "the listed parents of concept 1 are wrong: each probability must lie within 0 and 1"
        );
    }
    assert!(problem(&[(0, 0.7), (2, 0.7)]).ends_with("their sum must not pass 1"));
    assert!(problem(&[(1, 0.5)]).ends_with("each must be the root or another concept"));
    assert!(problem(&[(3, 0.5)]).ends_with("each must be the root or another concept"));
    assert!(problem(&[(2, 0.5), (2, 0.5)]).ends_with("each must be listed once"));
    assert_eq!(Certainties::new(Vec::new()), Err(Error::NoConcept));
}

#[test]
fn ancestor_pairs_by_hand() {
    // 0-1-2-3 has 12, 13, 23; 0-1-(2, 3) has 12, 13.
    let (chain, fork) = (tree(&[0, 1, 2]), tree(&[0, 1, 1]));
    close(ancestor_f1(&chain, &fork), 4.0 / 5.0);
    close(ancestor_f1(&fork, &chain), 4.0 / 5.0);
    assert_eq!(ancestor_f1(&chain, &tree(&[2, 3, 0])), 0.0);
    assert_eq!(ancestor_f1(&Tree::flat(3), &Tree::flat(3)), 1.0);
    assert_eq!(ancestor_f1(&chain, &Tree::flat(3)), 0.0);
}

#[test]
fn paths_by_hand() {
    // True paths are 12 and 13 of the six; 13 ties with 21, everything else is below.
    let path = |upper: Concept, lower: Concept| match (upper.index(), lower.index()) {
        (1, 2) => 0.9,
        (1, 3) | (2, 1) => 0.3,
        _ => 0.1,
    };
    close(path_auc(path, &tree(&[0, 1, 1])).unwrap(), (4.0 + 3.5) / 8.0);
    assert_eq!(path_auc(path, &Tree::flat(3)), None);
}

#[test]
fn ten_thousand_concepts_need_no_square() {
    let count = 10_000;
    let parents: Vec<usize> = (0..count).map(|at| at / 2).collect();
    let truth = tree(&parents);
    // Every other parent is found with certainty; the others are placed under the root, which is wrong except for concept 1.
    let is_found = |at: usize| at.is_multiple_of(2);
    let list = |at: usize| vec![(Concept::new(if is_found(at) { parents[at] } else { 0 }), 1.0)];
    let certainties = Certainties::new((0..count).map(list).collect()).unwrap();
    let right = (0..count).filter(|&at| is_found(at) || parents[at] == 0).count() as f64;
    let (edges, others) = (count as f64, (count * (count - 1)) as f64);
    let (wrong, missed) = (edges - right, edges - right);
    let won = right * (others - wrong) + right * wrong / 2.0 + missed * (others - wrong) / 2.0;
    close(certainties.edge_auc(&truth).unwrap(), won / (edges * others));
    close(certainties.parents_right(&truth), right / edges);
}

/// A true tree, and lists of parents with coarse probabilities so that there are ties.
fn cases() -> impl Strategy<Value = (Tree, Vec<Vec<u32>>)> {
    (2_usize..8).prop_flat_map(|count| {
        let parents: Vec<_> = (0..count).map(|child| 0..=child).collect();
        let weights = prop::collection::vec(prop::collection::vec(0_u32..4, count + 1), count);
        (parents.prop_map(|parents| tree(&parents)), weights)
    })
}

proptest! {
    /// Every ordered pair against every other, from a full square of probabilities.
    #[test]
    fn edge_auc_is_the_share_of_duels_won((truth, weights) in cases()) {
        let square: Vec<Vec<f64>> = truth.concepts().zip(&weights).map(|(child, row)| {
            let mut row: Vec<f64> = row.iter().copied().map(f64::from).collect();
            row[child.index()] = 0.0;
            let sum = row.iter().sum::<f64>().max(1.0);
            row.iter().map(|weight| weight / sum).collect()
        }).collect();
        let listed = |row: &Vec<f64>| {
            let all = row.iter().enumerate().map(|(at, &p)| (Concept::new(at), p));
            all.filter(|listed| listed.1 > 0.0).collect()
        };
        let sparse = Certainties::new(square.iter().map(listed).collect()).unwrap();

        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for (child, row) in truth.concepts().zip(&square) {
            for (parent, &p) in row.iter().enumerate().filter(|(parent, _)| *parent != child.index()) {
                if truth.parent(child).index() == parent { right.push(p) } else { wrong.push(p) }
            }
        }
        prop_assert_eq!(right.len() + wrong.len(), truth.len() * truth.len());
        let duel = |a: f64, b: f64| if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
        let won: f64 = right.iter().flat_map(|&a| wrong.iter().map(move |&b| duel(a, b))).sum();
        let expected = won / (right.len() * wrong.len()) as f64;
        prop_assert!((sparse.edge_auc(&truth).unwrap() - expected).abs() < 1e-12);
    }
}

/// A belief with fixed answers.
struct Fixed {
    evidence: Evidence,
    certainties: Certainties,
    best: Tree,
}

const UNASKED: &str = "measures only look at parents and the best tree";

impl Belief for Fixed {
    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        self.evidence.record_gold(worker, truth, answer)
    }

    fn health(&self) -> crate::Health {
        crate::Health::EXACT
    }

    fn engine(&self) -> &'static str {
        "fixed"
    }
    fn evidence(&self) -> &Evidence {
        &self.evidence
    }
    fn is_approximate(&self) -> bool {
        false
    }
    fn record(&mut self, _: Vote) -> Result<VoteId, Error> {
        unreachable!("{UNASKED}")
    }
    fn respond(&mut self, _: crate::Response) -> Result<VoteId, Error> {
        unreachable!("{UNASKED}")
    }
    fn withdraw(&mut self, _: VoteId) -> Result<crate::Response, Error> {
        unreachable!("{UNASKED}")
    }
    fn correct(&mut self, _: Correction) -> Result<CorrectionId, Error> {
        unreachable!("{UNASKED}")
    }
    fn take_back(&mut self, _: CorrectionId) -> Result<Correction, Error> {
        unreachable!("{UNASKED}")
    }
    fn add_concept(&mut self, _: EdgeVotes) -> Result<Concept, Error> {
        unreachable!("{UNASKED}")
    }
    fn remove_concept(&mut self, _: Concept, _: EdgeVotes) -> Result<(), Error> {
        unreachable!("{UNASKED}")
    }
    fn merge(&mut self, _: Concept, _: Concept) -> Result<(), Error> {
        unreachable!("{UNASKED}")
    }
    fn path(&self, _: Concept, _: Concept) -> f64 {
        unreachable!("{UNASKED}")
    }
    fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        self.certainties.parents(child).to_vec()
    }
    fn best_tree(&self) -> Tree {
        self.best.clone()
    }
    fn sample(&self, _: usize, _: &mut dyn rand::Rng) -> Vec<Tree> {
        unreachable!("{UNASKED}")
    }
    fn entropy(&self) -> Option<f64> {
        None
    }
    fn rates(&self, _: Worker) -> Rates {
        unreachable!("{UNASKED}")
    }
    fn candidates(&self) -> Vec<Candidate> {
        unreachable!("{UNASKED}")
    }
}

#[test]
fn a_belief_is_measured_by_what_it_says() {
    let (certainties, truth) = example();
    let evidence = Evidence::new(3, Settings::default()).unwrap();
    let belief = Fixed { evidence, certainties: certainties.clone(), best: tree(&[0, 1, 2]) };
    let measures = Measures::of(&belief, &truth).unwrap();
    assert_eq!(measures.edge_auc, certainties.edge_auc(&truth));
    assert_eq!(measures.parents_right, certainties.parents_right(&truth));
    assert_eq!(measures.brier, certainties.brier(&truth));
    assert_eq!(measures.calibration_error, certainties.calibration_error(&truth));
    assert_eq!(measures.log_loss, None);
    // The chain 0-1-2-3 has three ancestor pairs, the truth one of them.
    assert_eq!(measures.ancestor_f1, 0.5);
}
