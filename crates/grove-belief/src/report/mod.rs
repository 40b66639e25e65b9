//! What a belief says, for the owner of the concepts.

mod agreement;
mod answers;
mod concepts;
mod forecast;
mod options;
mod patterns;
mod workers;

use grove_tree::{Concept, Tree};

use crate::belief::all_parents;
use crate::{Belief, Health};
use answers::Answers;
pub use answers::{DividedQuestion, DoubtfulVote, Tally};
pub(crate) use concepts::was_asked_between;
pub use concepts::{ConceptReport, standing};
pub use forecast::Forecast;
pub use options::ReportOptions;
use patterns::Majorities;
pub use patterns::{ProbableSynonyms, TransitivityClash};
pub use workers::{RateEstimate, VoteCounts, WorkerReport, WorkerVerdict};

/// The hierarchy, how certain each part of it is, and which votes deserve a second look.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The name of the engine.
    pub engine: &'static str,
    /// Whether stated probabilities are known to be off by more than sampling error.
    pub is_approximate: bool,
    /// How far the probabilities can be trusted.
    pub health: Health,
    /// The votes that count: answers to yes/no questions.
    pub votes: VoteCounts,
    /// Everything that was said and counts, in all forms, votes among it.
    pub screens: usize,
    /// Votes and other replies that were withdrawn, or dropped when concepts were removed.
    pub withdrawn: usize,
    /// Different questions with at least one yes or no.
    pub questions: usize,
    /// The tree to show: the one with the greatest expected number of right parents ([`agreed_tree`]).
    pub hierarchy: Tree,
    /// The expected number of concepts that have their right parent in the hierarchy: the sum of certainties.
    pub expected_right: f64,
    /// The most probable tree: the likeliest to be right as a whole, while the hierarchy is the best answer concept by concept.
    pub most_probable: Tree,
    /// Every concept, by number.
    pub concepts: Vec<ConceptReport>,
    /// The concepts whose parent is doubtful, least certain first.
    pub doubtful: Vec<Concept>,
    /// The entropy of the distribution over trees in bits, if the engine can compute it.
    pub tree_entropy: Option<f64>,
    /// The sum of the concepts' parent entropies in bits: never less than the entropy of the trees, since it ignores what parents
    /// tell about each other. With few trees it is underestimated.
    pub parent_entropies: f64,
    /// The votes that disagree most with what is believed, least probable first; none that is more probable than not.
    pub doubtful_votes: Vec<DoubtfulVote>,
    /// The questions that probably divide people, most probable first; none where the settings allow no such questions.
    pub divided_questions: Vec<DividedQuestion>,
    /// Triangles of majorities that contradict each other, those with the strongest majorities first.
    pub clashes: Vec<TransitivityClash>,
    /// Pairs of which a majority holds each to be above the other, those with the strongest majorities first.
    pub synonyms: Vec<ProbableSynonyms>,
    /// Every worker who answered, by number.
    pub workers: Vec<WorkerReport>,
}

impl Report {
    /// Reads a belief. Pass an ensemble as [`refined`](crate::Ensemble::refined), which has more trees and a check of convergence.
    ///
    /// Asks for the parents of every concept, two path probabilities per question answered, and the rates of every worker; no square array.
    /// Draws nothing at random.
    ///
    /// ```
    /// use grove_belief::{Answer, Belief, Evidence, Exact, Question, Report, ReportOptions, Settings, Vote, Worker};
    /// use grove_tree::Concept;
    ///
    /// let [animal, dog] = [1, 2].map(Concept::new);
    /// let mut belief = Exact::new(Evidence::new(2, Settings::one_rate(0.1)?)?)?;
    /// for (worker, answer) in [Answer::Yes, Answer::Yes, Answer::No, Answer::Yes].into_iter().enumerate() {
    ///     let question = Question::path(animal, dog)?;
    ///     belief.record(Vote { question, worker: Worker::new(worker as u32), answer })?;
    /// }
    /// let report = Report::of(&belief, &ReportOptions::default());
    /// assert_eq!(report.hierarchy.parent(dog), animal);
    /// assert!(report.concepts[1].certainty > 0.9);
    /// assert_eq!(report.doubtful_votes[0].vote.worker, Worker::new(2));
    /// # Ok::<(), grove_belief::Error>(())
    /// ```
    #[must_use]
    pub fn of(belief: &dyn Belief, options: &ReportOptions) -> Self {
        let evidence = belief.evidence();
        let parents = all_parents(belief);
        let most_probable = belief.best_tree();
        let hierarchy = agreed(belief, &parents, || most_probable.clone());
        let concepts: Vec<ConceptReport> = hierarchy
            .concepts()
            .zip(&parents)
            .map(|(concept, parents)| ConceptReport::new(belief, concept, &hierarchy, parents, options))
            .collect();
        let answers = Answers::new(belief, &parents);
        let majorities = Majorities::new(belief);
        let mut votes = VoteCounts::default();
        evidence.votes().for_each(|(_, vote)| votes.add(vote.answer));
        let screens = evidence.responses().count();
        Self {
            engine: belief.engine(),
            is_approximate: belief.is_approximate(),
            health: belief.health(),
            votes,
            screens,
            withdrawn: evidence.recorded() - screens,
            questions: answers.questions(),
            expected_right: concepts.iter().map(|concept| concept.certainty).sum(),
            hierarchy,
            most_probable,
            doubtful: concepts::doubtful(&concepts, options),
            tree_entropy: belief.entropy().map(|nats| nats / std::f64::consts::LN_2),
            parent_entropies: concepts.iter().map(|concept| concept.parent_entropy).sum(),
            concepts,
            doubtful_votes: answers.doubtful_votes(options),
            divided_questions: answers.divided_questions(options),
            clashes: majorities.clashes(options),
            synonyms: majorities.synonyms(options),
            workers: workers::workers(belief, &answers, options),
        }
    }
}

/// The tree with the greatest expected number of right parents, or the most probable one if that tree breaks a correction. Every concept is under
/// its likeliest parent, unless all these parents together do not make a tree.
#[must_use]
pub fn agreed_tree(belief: &dyn Belief) -> Tree {
    agreed(belief, &all_parents(belief), || belief.best_tree())
}

fn agreed(
    belief: &dyn Belief,
    parents: &[Vec<(Concept, f64)>],
    most_probable: impl FnOnce() -> Tree,
) -> Tree {
    let tree = agreement::best_agreement(parents);
    if belief.evidence().corrections().hold_in(&tree) { tree } else { most_probable() }
}
