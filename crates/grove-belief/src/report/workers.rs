use super::ReportOptions;
use super::answers::Answers;
use crate::{Answer, Belief, GoldTally, Noise, Rates, Relation, Vote, Worker};

/// Rates of yes closer than this are about the same: such a worker's answers hardly depend on the question.
const SAME: f64 = 0.2;

/// The difference of two rates from which answers are the wrong way round, where the belief does not say so.
const CONTRARY: f64 = 0.3;

/// The part of the draws left out on either side of an interval.
const TAIL: f64 = 0.05;

/// How many votes gave each answer.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VoteCounts {
    /// Yes.
    pub yes: usize,
    /// No.
    pub no: usize,
    /// Can't say.
    pub cant_say: usize,
}

impl VoteCounts {
    /// All votes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.yes + self.no + self.cant_say
    }

    pub(super) fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Yes => self.yes += 1,
            Answer::No => self.no += 1,
            Answer::CantSay => self.cant_say += 1,
        }
    }
}

/// A rate of yes: its mean and its central 90 % interval. All three are the same where rates are given.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct RateEstimate {
    /// The expected rate.
    pub mean: f64,
    /// The rate is lower with a probability of 5 %.
    pub low: f64,
    /// The rate is higher with a probability of 5 %.
    pub high: f64,
}

impl RateEstimate {
    fn new(mean: f64, draws: &[Rates], relation: Relation) -> Self {
        let mut rates: Vec<f64> = draws.iter().map(|draw| draw.yes(relation)).collect();
        rates.sort_by(f64::total_cmp);
        let cut = (TAIL * rates.len() as f64) as usize;
        let (low, high) = (rates.get(cut), rates.iter().nth_back(cut));
        Self { mean, low: *low.unwrap_or(&mean), high: *high.unwrap_or(&mean) }
    }
}

/// How reliable a worker is.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[serde(rename_all = "snake_case")]
pub enum WorkerVerdict {
    /// Their yes means yes.
    Fine,
    /// They say yes about as often to true statements as to false ones.
    Straightliner,
    /// They say yes to false statements and no to true ones: they read the question the wrong way round.
    Inverted,
    /// They have given too few answers to tell.
    TooFewVotes,
    /// The settings say how this worker answers, so nothing is learnt about them from their votes.
    RatesGiven,
}

/// One worker's votes, and what they tell about the worker.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct WorkerReport {
    /// The worker.
    #[serde(skip)]
    pub worker: Worker,
    /// Their votes.
    #[serde(flatten)]
    pub votes: VoteCounts,
    /// How many screens they answered, in all forms.
    pub screens: usize,
    /// Their answers to questions whose true answer was known.
    #[serde(skip)]
    pub gold: GoldTally,
    /// The expected share of their yes and no votes that are right; `None` if they gave none.
    pub agreement: Option<f64>,
    /// How often they say yes when the upper concept is above the lower one.
    #[serde(rename = "yes_when_above")]
    pub when_above: RateEstimate,
    /// The same when it is the other way round. Where the settings do not tell directions apart, the same as `when_neither`.
    #[serde(rename = "yes_when_reversed")]
    pub when_reversed: RateEstimate,
    /// The same when neither is above the other.
    #[serde(rename = "yes_when_neither")]
    pub when_neither: RateEstimate,
    /// The conclusion.
    pub verdict: WorkerVerdict,
}

#[derive(Clone, Default)]
struct Record {
    votes: VoteCounts,
    screens: usize,
    right: f64,
    /// The expected numbers of yes, and of all answers, to true statements and to false ones.
    to_true: [f64; 2],
    to_false: [f64; 2],
}

impl Record {
    fn add(&mut self, vote: &Vote, chance_right: Option<f64>) {
        self.votes.add(vote.answer);
        let Some(right) = chance_right else { return };
        self.right += right;
        let yes = f64::from(u8::from(vote.answer == Answer::Yes));
        let is_true = if yes > 0.0 { right } else { 1.0 - right };
        for (counts, chance) in [(&mut self.to_true, is_true), (&mut self.to_false, 1.0 - is_true)] {
            counts[0] += chance * yes;
            counts[1] += chance;
        }
    }

    /// Whether they say yes to false statements much more often than to true ones. Such answers are so far from those of all others that
    /// the belief takes them for answers without reading.
    fn is_contrary(&self) -> bool {
        let rate = |[yes, all]: [f64; 2]| (yes + 1.0) / (all + 2.0);
        rate(self.to_true) + CONTRARY < rate(self.to_false)
    }
}

/// A report on every worker who answered anything, by number. O(votes + workers * draws of their rates).
pub(super) fn workers(
    belief: &dyn Belief,
    answers: &Answers<'_>,
    options: &ReportOptions,
) -> Vec<WorkerReport> {
    let evidence = belief.evidence();
    let mut records = vec![Record::default(); evidence.workers()];
    for (_, vote) in evidence.votes() {
        records[vote.worker.index()].add(vote, answers.chance_right(vote));
    }
    for (_, response) in evidence.responses() {
        records[response.worker.index()].screens += 1;
    }
    let all = (0..).map(Worker::new).zip(&records);
    let answered =
        all.filter(|(worker, record)| record.screens > 0 || evidence.gold(*worker) != GoldTally::default());
    answered.map(|(worker, record)| report(belief, worker, record, answers, options)).collect()
}

fn report(
    belief: &dyn Belief,
    worker: Worker,
    record: &Record,
    answers: &Answers<'_>,
    options: &ReportOptions,
) -> WorkerReport {
    let gold = belief.evidence().gold(worker);
    let (draws, rates) = (belief.rate_draws(worker), answers.rates(worker));
    let estimate = |relation| RateEstimate::new(rates.yes(relation), &draws, relation);
    let decided = record.votes.yes + record.votes.no;
    let gold_answers: u32 = gold.true_yes.iter().chain(&gold.true_no).sum();
    let verdict = if !matches!(belief.evidence().settings().noise, Noise::Learnt(_)) {
        WorkerVerdict::RatesGiven
    } else if decided + (gold_answers as usize) < options.least_votes {
        WorkerVerdict::TooFewVotes
    } else {
        judge(&draws, record)
    };
    WorkerReport {
        worker,
        votes: record.votes,
        screens: record.screens,
        gold,
        agreement: (decided > 0).then(|| record.right / decided as f64),
        when_above: estimate(Relation::Above),
        when_reversed: estimate(Relation::Reversed),
        when_neither: estimate(Relation::Neither),
        verdict,
    }
}

/// By what is more probable than not: that all rates are one, or that their difference is small. By the difference between saying yes when above and when neither.
fn judge(draws: &[Rates], record: &Record) -> WorkerVerdict {
    let mostly_below = |bound: f64| {
        let below = |draw: &&Rates| draw.yes(Relation::Above) - draw.yes(Relation::Neither) < bound;
        2 * draws.iter().filter(below).count() > draws.len()
    };
    if mostly_below(-SAME) || mostly_below(SAME) && record.is_contrary() {
        WorkerVerdict::Inverted
    } else if mostly_below(SAME) {
        WorkerVerdict::Straightliner
    } else {
        WorkerVerdict::Fine
    }
}
