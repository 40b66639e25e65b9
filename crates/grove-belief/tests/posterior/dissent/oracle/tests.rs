//! The enumeration against a plainer one, and against what must hold of probabilities.

use grove_belief::{Question, Settings, Vote, Worker};
use rand::RngExt;

use super::*;
use crate::cases::{correction, evidence, rng, votes};
use crate::oracle::Oracle;

const MIXED: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];
const PRIORS: [Trees; 3] = [Trees::Uniform, Trees::FewParents(1.5), Trees::Taxonomy];

fn differing(trees: Trees, noise: Noise) -> Settings {
    Settings { noise, prior: trees.prior(), ..Settings::one_rate(0.1).unwrap() }
}

#[test]
fn the_prior_sums_to_one() {
    for count in 1..=5 {
        for trees in PRIORS {
            for delta in [1e-9, 0.05, 0.5] {
                let none = evidence(count, Settings::one_rate(0.1).unwrap(), &[]);
                let prior = People::new(&none, &Model::new(trees, delta));
                assert!(prior.log_evidence.abs() < 1e-9, "{}", prior.log_evidence);
            }
        }
    }
}

#[test]
fn probabilities_are_probabilities() {
    for seed in 0..6 {
        let mut rng = rng(seed);
        let rates = Noise::Given(Rates::three(0.85, 0.3, 0.1).unwrap());
        let trees = PRIORS[seed as usize % 3];
        let mut some = evidence(4, differing(trees, rates), &votes(4, 20, MIXED, &mut rng));
        if seed > 2 {
            some.correct(correction(4, &mut rng)).unwrap();
        }
        let people = People::new(&some, &Model::new(trees, 0.2));
        for child in 1..=4 {
            let parents = &people.parents[child];
            assert!((parents.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(parents.iter().all(|chance| (-1e-15..=1.0).contains(chance)));
            assert!((people.path[0][child] - 1.0).abs() < 1e-12);
            assert!((0..=4).all(|upper| people.path[upper][child] > parents[upper] - 1e-12));
            assert!(people.divided(child) < 1.0 && people.share[child] <= 0.5 * people.divided(child));
            assert!(people.second[child][child] == 0.0 && people.path[child][child] == 0.0);
        }
    }
}

/// If nobody differs, it is the other oracle, which knows two of the priors.
#[test]
fn nobody_differs_where_none_may() {
    for trees in [Trees::Uniform, Trees::FewParents(1.5)] {
        let rates = Noise::Given(Rates::three(0.85, 0.3, 0.1).unwrap());
        let mut some = evidence(4, differing(trees, rates), &votes(4, 20, MIXED, &mut rng(3)));
        some.correct(Correction::NotUnder { lower: Concept::new(1), upper: Concept::new(2) }).unwrap();
        let (people, oracle) = (People::new(&some, &Model::new(trees, 1e-12)), Oracle::new(&some));
        for (upper, lower) in (1..=4).flat_map(|upper| (1..=4).map(move |lower| (upper, lower))) {
            let [upper_at, lower_at] = [upper, lower].map(Concept::new);
            assert!((people.path[upper][lower] - oracle.path(upper_at, lower_at)).abs() < 1e-9);
            assert!((people.parents[lower][upper] - oracle.edge(upper_at, lower_at)).abs() < 1e-9);
        }
    }
}

/// Every state one by one, and everybody's holdings one by one: 2 to the power of people and divided concepts.
struct State {
    weight: f64,
    /// For every person the tree from which they answer.
    trees: Vec<Tree>,
    first: Tree,
}

/// For every divided concept its second place and share.
type Seconds = Vec<(usize, usize, f64)>;

fn states(evidence: &Evidence, trees: Trees, delta: f64) -> Vec<State> {
    let (said, people) = (super::votes(evidence, Reading::Right), 2);
    let corrections: Vec<Correction> = evidence.corrections().iter().map(|(_, one)| one).collect();
    let shapes: Vec<Shape> = all_trees(evidence.count()).into_iter().map(Shape::new).collect();
    let prior = TreePrior::new(trees, evidence.count(), &shapes);
    let mut states = Vec::new();
    for shape in &shapes {
        for divided in sets(shape) {
            // Lists of (second place, share), one of each for every divided concept, with the chance.
            let mut chosen: Vec<(f64, Seconds)> = vec![(1.0, Vec::new())];
            let outside: Vec<usize> = (0..=evidence.count())
                .filter(|one| !divided.iter().any(|top| shape.in_block(*one, *top)))
                .collect();
            for &top in &divided {
                let weight = |place: usize| {
                    let leaf = place != 0 && !shape.is_parent(place);
                    if leaf { prior.ratio(shape.count_parents()) } else { 1.0 }
                };
                let places: Vec<usize> =
                    outside.iter().copied().filter(|place| *place != shape.parents[top]).collect();
                let total: f64 = places.iter().map(|place| weight(*place)).sum();
                let mut longer = Vec::new();
                for (chance, list) in &chosen {
                    for &place in &places {
                        for step in 0..10 {
                            let of_share = if step == 9 { 0.5 } else { 1.0 } / 9.5;
                            let more = [&list[..], &[(top, place, share(step))]].concat();
                            longer.push((chance * weight(place) / total * of_share, more));
                        }
                    }
                }
                chosen = longer;
            }
            let neither = outside.len() as i32 - 1;
            let set = delta.powi(divided.len() as i32) * (1.0 - delta).powi(neither)
                / (1.0 - delta.powi(shape.tops() as i32));
            for (chance, list) in chosen {
                let before = prior.by_parents[shape.count_parents()].exp() * set * chance;
                let tree_of = |bits: usize| {
                    let mut parents = shape.tree.parents().to_vec();
                    for (at, (top, place, _)) in list.iter().enumerate() {
                        if bits >> at & 1 == 1 {
                            parents[top - 1] = Concept::new(*place);
                        }
                    }
                    Shape::new(Tree::from_parents(&parents).unwrap())
                };
                let ways: Vec<Shape> = (0..1 << list.len()).map(tree_of).collect();
                if !ways.iter().all(|way| way.satisfies(&corrections)) {
                    continue;
                }
                for held in 0..ways.len() * ways.len() {
                    let holds = [held % ways.len(), held / ways.len()];
                    let of_holdings: f64 = holds
                        .iter()
                        .flat_map(|bits| {
                            let chance = move |(at, one): (usize, &(usize, usize, f64))| {
                                if bits >> at & 1 == 1 { one.2 } else { 1.0 - one.2 }
                            };
                            list.iter().enumerate().map(chance)
                        })
                        .product();
                    let of_votes: f64 =
                        said.iter().map(|said| said.chance(&ways[holds[said.worker]])).product();
                    let trees = (0..people).map(|person| ways[holds[person]].tree.clone()).collect();
                    let weight = before * of_holdings * of_votes;
                    states.push(State { weight, trees, first: shape.tree.clone() });
                }
            }
        }
    }
    states
}

#[test]
fn equals_the_list_of_all_holdings() {
    let rates = vec![Rates::three(0.8, 0.4, 0.1).unwrap(), Rates::two(0.2, 0.15).unwrap()];
    let noise = Noise::Workers { known: rates, others: Rates::one(0.3).unwrap() };
    for (at, trees) in PRIORS.into_iter().enumerate() {
        let mut rng = rng(70 + at as u64);
        let mut cast = votes(3, 14, MIXED, &mut rng);
        cast.iter_mut().for_each(|vote| vote.worker = Worker::new(vote.worker.index() as u32 % 2));
        let mut some = evidence(3, differing(trees, noise.clone()), &cast);
        if at == 1 {
            some.correct(Correction::SomewhereUnder { lower: Concept::new(3), upper: Concept::new(1) })
                .unwrap();
        }
        if at == 2 {
            some.correct(Correction::NotUnder { lower: Concept::new(1), upper: Concept::new(2) }).unwrap();
        }
        let people = People::new(&some, &Model::new(trees, 0.3));
        let states = states(&some, trees, 0.3);
        let total: f64 = states.iter().map(|state| state.weight).sum();
        assert!((total.ln() - people.log_evidence).abs() < 1e-9);
        for (upper, lower) in (0..=3).flat_map(|upper| (1..=3).map(move |lower| (upper, lower))) {
            let [upper_at, lower_at] = [upper, lower].map(Concept::new);
            let mean = |event: &dyn Fn(&Tree) -> bool, of: &dyn Fn(&State) -> Vec<Tree>| -> f64 {
                let share = |state: &State| {
                    let trees = of(state);
                    let held = trees.iter().filter(|tree| event(tree)).count();
                    state.weight * held as f64 / trees.len() as f64
                };
                states.iter().map(share).sum::<f64>() / total
            };
            let of_people = |state: &State| state.trees.clone();
            let above = |tree: &Tree| tree.is_above(upper_at, lower_at);
            let path = mean(&above, &of_people);
            assert!((people.path[upper][lower] - path).abs() < 1e-9);
            let tree_path = mean(&above, &|state| vec![state.first.clone()]);
            assert!((people.tree_path[upper][lower] - tree_path).abs() < 1e-9);
            let parent = mean(&|tree| tree.parent(lower_at) == upper_at, &of_people);
            assert!((people.parents[lower][upper] - parent).abs() < 1e-9);
        }
    }
}

/// Thirty people who say yes to .83 of what they hold and to .20 of the rest; for 40 % of them a tomato is a vegetable. Half of the
/// questions are about tomatoes, as they would be if questions were chosen.
fn tomatoes(votes: usize, seed: u64) -> Evidence {
    let [food, fruit, vegetable, tomato, _] = [1, 2, 3, 4, 5].map(Concept::new);
    let as_fruit = Tree::from_parents(&[Concept::ROOT, food, food, fruit, vegetable]).unwrap();
    let as_vegetable = Tree::from_parents(&[Concept::ROOT, food, food, vegetable, vegetable]).unwrap();
    let mut rng = rng(seed);
    let noise = Noise::Given(Rates::two(0.2, 0.17).unwrap());
    let mut evidence = Evidence::new(5, differing(Trees::Taxonomy, noise.clone())).unwrap();
    while evidence.recorded() < votes {
        let worker = Worker::new(rng.random_range(0..30));
        let mut any = || Concept::new(rng.random_range(1..=5));
        let (upper, lower) = (any(), any());
        let lower = if rng.random() { tomato } else { lower };
        let Ok(question) = Question::path(upper, lower) else { continue };
        let tree = if worker.index() < 12 { &as_vegetable } else { &as_fruit };
        let relation = if tree.is_above(upper, lower) { Relation::Above } else { Relation::Neither };
        let yes = rng.random::<f64>() < noise.rates(worker).yes(relation);
        let answer = if yes { Answer::Yes } else { Answer::No };
        evidence.record(Vote { question, worker, answer }).unwrap();
    }
    evidence
}

#[test]
fn a_tomato_is_a_fruit_and_a_vegetable() {
    let mut mean = [0.0; 2];
    for seed in 0..4 {
        let people = People::new(&tomatoes(300, seed), &Model::new(Trees::Taxonomy, 0.05));
        mean[0] += people.parents[4][2] / 4.0;
        mean[1] += people.parents[4][3] / 4.0;
    }
    assert!((mean[0] - 0.6).abs() < 0.06 && (mean[1] - 0.4).abs() < 0.06, "{mean:?}");
}
