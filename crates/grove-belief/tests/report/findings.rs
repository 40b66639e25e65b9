//! Findings about the votes: reported where planted, and nowhere else.

use grove_belief::{
    Belief, Dissent, Ensemble, EnsembleSettings, Kind, Question, Report, ReportOptions, SHARES, Tally, Vote,
    Worker,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::{NOISE, close, concept, evidence, exact, one_rate, question, report};

/// Votes that one hierarchy explains: 1 above 2 above 3, and 4 elsewhere.
const CONSISTENT: [(usize, usize, [usize; 2]); 5] =
    [(1, 2, [3, 0]), (2, 3, [3, 0]), (1, 3, [3, 0]), (2, 1, [0, 3]), (1, 4, [0, 3])];

#[test]
fn nothing_is_found_in_consistent_votes() {
    let report = report(&with_dissent(4, &CONSISTENT));
    assert!(report.clashes.is_empty() && report.synonyms.is_empty());
    assert!(report.divided_questions.is_empty() && report.doubtful_votes.is_empty());
}

#[test]
fn a_lone_dissenter_is_doubtful() {
    let report = report(&exact(2, &[(1, 2, [5, 1])]));
    let [doubtful] = report.doubtful_votes[..] else { panic!("{:?}", report.doubtful_votes) };
    assert_eq!((doubtful.id.index(), doubtful.vote.question), (5, question(1, 2)));
    // Three trees, in one of which 1 is above 2.
    let (right, wrong) = (1.0 - NOISE, NOISE);
    let (above, not) = (right.powi(5) * wrong, wrong.powi(5) * right);
    let above = above / (above + 2.0 * not);
    close(doubtful.probability, above * wrong + (1.0 - above) * right);
}

#[test]
fn the_most_doubtful_votes_come_first_and_lists_are_limited() {
    let belief = exact(3, &[(1, 2, [9, 1]), (2, 3, [3, 1]), (1, 3, [4, 0])]);
    let both = report(&belief).doubtful_votes;
    assert_eq!(both.iter().map(|vote| vote.id.index()).collect::<Vec<_>>(), [9, 13]);
    let one = Report::of(&belief, &ReportOptions::default().longest_list(1)).doubtful_votes;
    assert_eq!(one, both[..1]);
}

#[test]
fn edge_votes_are_judged_by_edges() {
    let mut belief = exact(3, &[(1, 2, [4, 0]), (2, 3, [4, 0]), (1, 3, [4, 0])]);
    let edge = Question::new(Kind::Edge, concept(1), concept(3)).unwrap();
    let vote = Vote { question: edge, worker: Worker::new(50), answer: grove_belief::Answer::Yes };
    let id = belief.record(vote).unwrap();
    let report = report(&belief);
    // 1 is above 3 for sure, but hardly its parent.
    assert_eq!(report.doubtful_votes.iter().map(|vote| vote.id).collect::<Vec<_>>(), [id]);
}

#[test]
fn a_planted_triangle_is_found() {
    let votes = [(1, 2, [3, 0]), (2, 3, [3, 1]), (1, 3, [1, 4]), (4, 1, [2, 2]), (2, 4, [2, 0])];
    let report = report(&exact(4, &votes));
    let [clash] = report.clashes[..] else { panic!("{:?}", report.clashes) };
    assert_eq!([clash.upper, clash.middle, clash.lower], [1, 2, 3].map(concept));
    assert_eq!(clash.upper_middle, Tally { yes: 3, no: 0 });
    assert_eq!(clash.middle_lower, Tally { yes: 3, no: 1 });
    assert_eq!(clash.upper_lower, Tally { yes: 1, no: 4 });
}

#[test]
fn planted_synonyms_are_found() {
    let votes =
        [(1, 2, [3, 0]), (2, 1, [2, 1]), (3, 4, [5, 1]), (4, 3, [4, 1]), (1, 4, [3, 0]), (4, 1, [1, 1])];
    let report = report(&exact(4, &votes));
    let pairs: Vec<_> = report.synonyms.iter().map(|pair| pair.concepts.map(|at| at.index())).collect();
    assert_eq!(pairs, [[3, 4], [1, 2]]);
    assert_eq!(report.synonyms[1].first_above, Tally { yes: 3, no: 0 });
    assert_eq!(report.synonyms[1].second_above, Tally { yes: 2, no: 1 });
}

#[test]
fn triangles_and_synonyms_are_those_of_a_full_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let count = 6;
    for _ in 0..20 {
        let mut votes = Vec::new();
        for upper in 1..=count {
            for lower in (1..=count).filter(|&lower| lower != upper) {
                votes.push((upper, lower, [rng.random_range(0..4), rng.random_range(0..4)]));
            }
        }
        let belief = exact(count, &votes);
        let report = Report::of(&belief, &ReportOptions::default().longest_list(usize::MAX));
        let lead = |upper: usize, lower: usize| {
            let (yes, no) = belief.evidence().tally(question(upper, lower));
            yes as i64 - no as i64
        };
        let mut triangles = Vec::new();
        let mut synonyms = Vec::new();
        for a in 1..=count {
            for b in (1..=count).filter(|&b| b != a) {
                if a < b && lead(a, b) > 0 && lead(b, a) > 0 {
                    synonyms.push([a, b]);
                }
                let thirds = (1..=count).filter(|&c| c != a && c != b);
                let clashes = thirds.filter(|&c| lead(a, b) > 0 && lead(b, c) > 0 && lead(a, c) < 0);
                triangles.extend(clashes.map(|c| [a, b, c]));
            }
        }
        let of = |clash: &grove_belief::TransitivityClash| {
            [clash.upper, clash.middle, clash.lower].map(|concept| concept.index())
        };
        let mut found: Vec<_> = report.clashes.iter().map(of).collect();
        let weakest = |&[a, b, c]: &[usize; 3]| lead(a, b).min(lead(b, c)).min(-lead(a, c));
        assert!(found.is_sorted_by(|a, b| weakest(a) >= weakest(b)));
        found.sort_unstable();
        assert!(!found.is_empty() && found == triangles);
        let mut found: Vec<_> =
            report.synonyms.iter().map(|pair| pair.concepts.map(|at| at.index())).collect();
        found.sort_unstable();
        assert_eq!(found, synonyms);
    }
}

/// The chains of a belief in which people may differ.
const CHAINS: usize = 4_000;

fn with_dissent(count: usize, votes: &[(usize, usize, [usize; 2])]) -> Ensemble {
    let settings = grove_belief::Settings { dissent: Some(Dissent::default()), ..one_rate() };
    let chains = EnsembleSettings { trees: CHAINS, ..EnsembleSettings::for_concepts(count) };
    Ensemble::new(evidence(count, settings, votes), chains).unwrap()
}

/// P(people differ on whether 1 is above 2 | votes), where there are no other concepts.
///
/// Of the three trees, in the flat one 1, 2 or neither is divided; where 1 is above 2 or the other way round, only the lower one can be, and the
/// root is its second place. A person holds 1 above 2 with chance t, and says yes with chance .1 + .8 t.
fn chance_of_dissent(yes: i32, no: i32) -> f64 {
    let d = Dissent::default().chance();
    let votes = |t: f64| (0.1 + 0.8 * t).powi(yes) * (0.9 - 0.8 * t).powi(no);
    let mean = |of: &dyn Fn(f64) -> f64| {
        let weigh = |share: f64| if share == 0.5 { 0.5 } else { 1.0 } * of(share);
        SHARES.into_iter().map(weigh).sum::<f64>() / 9.5
    };
    let flat = [(1.0 - d) / (1.0 + d), d / (1.0 + d)];
    let differ = flat[1] * mean(&votes) + d * mean(&|share| votes(1.0 - share));
    let agree = (flat[0] + flat[1]) * votes(0.0) + (1.0 - d) * votes(1.0) + votes(0.0);
    differ / (differ + agree)
}

#[test]
fn a_divided_question_is_found() {
    let report = report(&with_dissent(2, &[(1, 2, [7, 5])]));
    let [divided] = report.divided_questions[..] else { panic!("{:?}", report.divided_questions) };
    assert_eq!((divided.question, divided.votes), (question(1, 2), Tally { yes: 7, no: 5 }));
    close(divided.yes_share, 7.0 / 12.0);
    let chance = chance_of_dissent(7, 5);
    let error = (chance * (1.0 - chance) / CHAINS as f64).sqrt();
    assert!((divided.probability - chance).abs() < 4.5 * error, "{} for {chance}", divided.probability);
}

#[test]
fn clear_questions_are_not_divided() {
    assert!(report(&with_dissent(2, &[(1, 2, [10, 1])])).divided_questions.is_empty());
    assert!(report(&with_dissent(2, &[(1, 2, [0, 10])])).divided_questions.is_empty());
    // Where people cannot differ, all disagreement is error.
    assert!(report(&exact(2, &[(1, 2, [7, 5])])).divided_questions.is_empty());
}

#[test]
fn votes_on_a_divided_question_are_not_doubtful() {
    let divided = report(&with_dissent(2, &[(1, 2, [12, 12])])).doubtful_votes;
    assert!(divided.iter().all(|vote| vote.probability > 0.4), "{divided:?}");
    let erring = report(&exact(2, &[(1, 2, [13, 11])])).doubtful_votes;
    assert!(erring.iter().any(|vote| vote.probability < 0.2));
}
