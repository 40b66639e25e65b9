use grove_belief::{
    Answer, Asking, Evidence, Form, LEAST_GAIN_PER_SECOND, Noise, Prior, PseudoWorker, Question, Settings,
    Vote, Worker, WorkerPrior,
};
use grove_formats::{Hierarchy, head_pairs, read_votes};
use grove_sim::{CrowdSpec, balanced_tree, capacity, tree_bits};
use grove_tree::{Concept, Tree};

use super::pool::Pool;
use super::{Simulate, Truth};
use crate::engine_options::{AssumedNoise, CrowdNoise, PriorShape};
use crate::error::bad_input;
use crate::files;
use crate::recorded_votes::RecordedVotes;

/// The noise of the crowd unless it is given.
const NOISE: CrowdNoise = CrowdNoise { false_yes: 0.05, false_no: 0.05 };

/// Where rates are given all people are alike: so many that hardly anybody is asked the same question twice.
const PEOPLE_GIVEN: u32 = 1_000;

/// Where rates are learnt: so few that each gives enough votes to be judged by.
const PEOPLE_LEARNT: u32 = 20;

/// The most questions as a multiple of the floor: without a target, and with one.
const TIMES_FLOOR: [f64; 2] = [2.0, 10.0];

/// All that the runs have in common.
pub(super) struct Plan<'a> {
    pub(super) options: &'a Simulate,
    pub(super) truth: Tree,
    /// Whether every run draws its own tree of that size.
    pub(super) drawn: bool,
    pub(super) voters: Voters,
    /// The true rates, where there are two.
    pub(super) noise: Option<CrowdNoise>,
    pub(super) assumed: AssumedNoise,
    pub(super) settings: Settings,
    /// The information floor for uniform trees; none where answers say nothing or the rates are not two.
    pub(super) floor: Option<f64>,
    /// The most questions of a run.
    pub(super) questions: u64,
    /// The concepts whose names are the nearest heads of others' names, where that is evidence: (head, other).
    pub(super) heads: Vec<(Concept, Concept)>,
    /// The forms, where these are chosen from by gain per second, and the least of it.
    pub(super) asking: Option<(Asking, f64)>,
}

/// Where votes come from.
pub(super) enum Voters {
    Crowd(CrowdSpec),
    Pool(Pool),
}

impl<'a> Plan<'a> {
    /// Reads all files and fills in the defaults.
    pub(super) fn new(options: &'a Simulate) -> anyhow::Result<Self> {
        let named = named_truth(&options.truth)?;
        let truth = match (&named, &options.truth) {
            (Some(named), _) => named.tree().clone(),
            (None, Truth::Balanced { count, branching }) => balanced_tree(*count, *branching)?,
            // Only its size counts: every run draws its own.
            (None, Truth::Random(count)) => Tree::flat(*count),
            (None, Truth::File(_) | Truth::Builtin(_)) => unreachable!("these hold names"),
        };
        let (voters, noise) = voters(options, named.as_ref())?;
        let known = noise
            .filter(|_| options.crowd.is_none() && !options.alone)
            .map_or(AssumedNoise::Learn, CrowdNoise::assumed);
        let assumed = options.assume_noise.unwrap_or(known);
        let settings = if options.alone { alone() } else { assumed.settings(options.prior)? };
        options.engine.check(truth.len(), &settings.noise)?;
        let floor = noise.map(|noise| floor(truth.len(), noise)).transpose()?.flatten();
        let questions =
            if options.alone { options.questions.unwrap_or(MOST_ALONE) } else { questions(options, floor)? };
        let least = options.least_rate.unwrap_or(LEAST_GAIN_PER_SECOND);
        let asking = match (options.alone, &options.forms[..]) {
            (false, []) => None,
            (true, []) => Some((Asking::owner(), least)),
            (true, forms) => {
                Some((Asking { known_from: Asking::owner().known_from, ..Asking::with(forms) }, least))
            }
            (false, forms) => Some((Asking::with(forms), 0.0)),
        };
        let drawn = matches!(options.truth, Truth::Random(_));
        let heads = match &named {
            Some(named) if options.alone && !options.ignore_names => {
                let names = named.entries().iter().map(|entry| entry.name.as_str());
                let concept = |number: u32| Concept::new(number as usize);
                let pairs = head_pairs(names, "en").into_iter();
                pairs.map(|(upper, lower)| (concept(upper), concept(lower))).collect()
            }
            _ => Vec::new(),
        };
        Ok(Self { options, truth, drawn, voters, noise, assumed, settings, floor, questions, heads, asking })
    }

    /// What is known before the first vote: nothing but names.
    pub(super) fn evidence(&self, count: usize) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::new(count, self.settings.clone())?;
        // The one person who is asked is the first worker.
        let names = Worker::new(1);
        if !self.heads.is_empty() {
            evidence.introduce(names, PseudoWorker::Names)?;
        }
        for &(upper, lower) in &self.heads {
            let question = Question::edge(upper, lower)?;
            evidence.hint(Vote { question, worker: names, answer: Answer::Yes }.into())?;
        }
        Ok(evidence)
    }

    /// What is believed before the first vote.
    pub(super) fn prior(&self) -> PriorShape {
        if self.options.alone { PriorShape::Taxonomy } else { self.options.prior }
    }

    /// The forms in which people are asked.
    pub(super) fn forms(&self) -> &[Form] {
        self.asking.as_ref().map_or(&[Form::YesNo], |(asking, _)| &asking.forms)
    }

    /// The cost of so many votes.
    pub(super) fn dollars(&self, votes: f64) -> f64 {
        votes * self.options.price / 100.0
    }
}

/// The most screens that one person is shown, if they never stop.
const MOST_ALONE: u64 = 10_000;

/// The settings for one careful person who owns the hierarchy.
fn alone() -> Settings {
    Settings { noise: Noise::Learnt(WorkerPrior::careful()), dissent: None, prior: Prior::taxonomy() }
}

/// The truth with its names, where it has any.
fn named_truth(truth: &Truth) -> anyhow::Result<Option<Hierarchy>> {
    match truth {
        Truth::File(path) => files::read_tree(path).map(Some),
        Truth::Builtin(set) => Ok(Some(Hierarchy::from_named_tree(&set.tree())?)),
        Truth::Random(_) | Truth::Balanced { .. } => Ok(None),
    }
}

/// Where votes come from, and their error rates, where two rates describe them.
fn voters(options: &Simulate, truth: Option<&Hierarchy>) -> anyhow::Result<(Voters, Option<CrowdNoise>)> {
    if let Some(path) = &options.answers {
        let truth = truth.ok_or_else(|| {
            bad_input(format!(
                "{}: recorded votes name concepts, but {} has no names; give a file as --truth",
                path.display(),
                options.truth
            ))
        })?;
        let pool = Pool::new(&RecordedVotes::new(&read_votes(&files::read(path)?, &truth.index())?)?);
        let noise = pool.noise(truth.tree());
        return Ok((Voters::Pool(pool), Some(noise)));
    }
    if let Some(path) = &options.crowd {
        let source = files::read(path)?;
        let spec = CrowdSpec::parse(source.text())
            .map_err(|error| bad_input(format!("{}, {error}", path.display())))?;
        let noise = spec.rates.two_rates().map(|[yes_if_true, yes_if_false]| CrowdNoise {
            false_yes: yes_if_false,
            false_no: 1.0 - yes_if_true,
        });
        return Ok((Voters::Crowd(spec), noise));
    }
    let noise = options.noise.unwrap_or(if options.alone {
        CrowdNoise { false_yes: 0.0, false_no: 0.0 }
    } else {
        NOISE
    });
    let learnt = options.assume_noise == Some(AssumedNoise::Learn);
    let people = match options.people {
        _ if options.alone => 1,
        Some(people) => people,
        None if learnt => PEOPLE_LEARNT,
        None => PEOPLE_GIVEN,
    };
    let alike = CrowdSpec::honest(people as usize, noise.answer_rates()?);
    let spec = CrowdSpec { concentration: None, cant_say: options.cant_say, ..alike };
    Ok((Voters::Crowd(spec), Some(noise)))
}

/// The bits of a tree divided by the bits of an answer; none where answers carry no information.
fn floor(count: usize, noise: CrowdNoise) -> anyhow::Result<Option<f64>> {
    let floor = tree_bits(count) / capacity(1.0 - noise.false_no, noise.false_yes)?;
    Ok(Some(floor).filter(|floor| floor.is_finite()))
}

fn questions(options: &Simulate, floor: Option<f64>) -> anyhow::Result<u64> {
    if let Some(questions) = options.questions {
        return Ok(questions);
    }
    let times = TIMES_FLOOR[usize::from(options.until.is_some())];
    let floor = floor.ok_or_else(|| {
        bad_input("the least number of questions is not known for such answers; give --questions")
    })?;
    Ok((times * floor).ceil().max(1.0) as u64)
}
