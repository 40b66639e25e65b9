//! A result of an inference, for Python. Structured values cross as JSON, numbers as arrays.

use std::sync::{Arc, Mutex};

use grove_belief::{Correction, Engine, Relation as Held, Strategy};
use grove_formats::{
    ConceptList, ErrorKind, Format, Relation, SampleFormat, Source, read_card_sort_concepts, read_concepts,
};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use taxogrove::inference::{AssumedNoise, Input, Options, Watch, check_base, check_relation};

use crate::background::{guarded, run};
use crate::error::Failure;
use crate::names;
use crate::state::{Reading, State, Wanted, Written};

/// How many independent trees stand for the draws of an engine without chains, and in how many groups.
const INDEPENDENT: [usize; 2] = [4, 500];

/// A file or rows: its name, its content, and whether it is rows of Python objects, which errors name by index.
#[derive(FromPyObject)]
pub(crate) struct Given {
    name: String,
    content: Vec<u8>,
    rows: bool,
}

impl Given {
    fn source(&self) -> Result<Source, Failure> {
        Source::new(&self.name, &self.content).map_err(|error| Failure::of(&error.into(), self.rows()))
    }

    /// The name of the argument, for errors.
    fn rows(&self) -> Option<&str> {
        self.rows.then(|| self.name.split('.').next().unwrap_or_default())
    }

    fn concepts(&self) -> Result<ConceptList, Failure> {
        read_concepts(&self.source()?).map_err(|error| Failure::of(&error.into(), self.rows()))
    }

    /// The concepts of a card sort. The command line's message for other votes names its option.
    fn sorted_concepts(&self) -> Result<ConceptList, Failure> {
        read_card_sort_concepts(&self.source()?).map_err(|error| match error.kind {
            ErrorKind::MissingColumn { .. } | ErrorKind::UnknownFileType(_) => Failure::input(format!(
                "{}: this is not a card sort, so its concepts are not known; give concepts=, a list of names or a file",
                self.rows().unwrap_or(&self.name)
            )),
            _ => Failure::of(&error.into(), self.rows()),
        })
    }
}

/// The options of an inference, as words.
#[derive(FromPyObject)]
pub(crate) struct Words {
    engine: String,
    noise: String,
    prior: String,
    root: Option<String>,
    seed: u64,
}

impl Words {
    fn options(self) -> Result<Options, Failure> {
        Ok(Options {
            engine: names::parse("engine", &self.engine)?,
            noise: self
                .noise
                .parse::<AssumedNoise>()
                .map_err(|expected| Failure::input(format!("the noise is {:?}; {expected}", self.noise)))?,
            prior: names::parse("prior", &self.prior)?,
            root: self.root,
            seed: self.seed,
        })
    }
}

/// What a written hierarchy says about itself, as words.
#[derive(FromPyObject)]
pub(crate) struct About {
    title: Option<String>,
    language: Option<String>,
    relation: Option<String>,
    base: Option<String>,
    license: Option<String>,
}

impl About {
    fn checked(self) -> Result<Written, Failure> {
        if let Some(base) = &self.base {
            check_base(base).map_err(|problem| Failure::input(format!("base is {base:?}; {problem}")))?;
        }
        if let Some(relation) = &self.relation {
            check_relation(relation)
                .map_err(|problem| Failure::input(format!("relation is {relation:?}; {problem}")))?;
        }
        let relation = self.relation.as_deref().map(Relation::from_text);
        Ok(Written {
            title: self.title,
            language: self.language,
            relation,
            base: self.base,
            license: self.license,
        })
    }
}

/// The native half of `taxogrove.Result`.
#[pyclass(frozen, module = "taxogrove._native")]
pub(crate) struct Session {
    /// Locked only where the interpreter's lock is not held, so that neither waits for the other.
    state: Arc<Mutex<State>>,
}

impl Session {
    fn of(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Works with the state on another thread.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        watcher: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut State, &mut dyn Watch) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let state = Arc::clone(&self.state);
        run(py, watcher, move |watch| {
            let mut state = state.lock().map_err(|_| Failure::poisoned())?;
            work(&mut state, watch)
        })
    }

    /// Reads the belief: at once if it is ready and nobody else works with it, otherwise on another thread.
    fn read<T: Send + 'static>(
        &self,
        py: Python<'_>,
        watcher: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&State, &Reading) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        if let Ok(state) = self.state.try_lock()
            && let Some(reading) = state.fresh_reading()
        {
            return Ok(guarded(|| work(&state, &reading))?);
        }
        self.with(py, watcher, |state, watch| {
            let reading = state.reading(watch)?;
            work(state, &reading)
        })
    }
}

#[pymethods]
impl Session {
    /// Computes the belief that follows from votes.
    #[staticmethod]
    #[pyo3(signature = (concepts, votes, words, watcher))]
    fn infer(
        py: Python<'_>,
        concepts: Option<Given>,
        votes: Option<Given>,
        words: Words,
        watcher: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let state = run(py, watcher, move |watch| {
            let options = words.options()?;
            let list = match (&concepts, &votes) {
                (Some(concepts), _) => Some(concepts.concepts()?),
                (None, Some(votes)) => Some(votes.sorted_concepts()?),
                (None, None) => None,
            };
            let source = votes.as_ref().map(Given::source).transpose()?;
            let rows = votes.as_ref().and_then(Given::rows);
            let mut input = Input::new(list, source.as_ref(), &options, None)
                .map_err(|error| Failure::of(&error, rows))?;
            if rows.is_some() {
                input.recorded.count_lines_from(0);
            }
            State::infer(input, options, watch)
        })?;
        Ok(Self::of(state))
    }

    /// A saved result.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        text: String,
        file: String,
        watcher: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self::of(run(py, watcher, move |watch| State::load(&text, &file, watch))?))
    }

    fn save(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, None, |state, _| state.save())
    }

    /// The names of the root and of all concepts, by number.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, None, |state, _| {
            let names = std::iter::once(grove_tree::Concept::ROOT)
                .chain(grove_tree::Concept::all(state.input.count()));
            Ok(names.map(|concept| state.name(concept).to_owned()).collect())
        })
    }

    /// The object of `grove infer --json`.
    #[pyo3(signature = (watcher = None))]
    fn report(&self, py: Python<'_>, watcher: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.read(py, watcher, State::findings)
    }

    fn path(&self, py: Python<'_>, upper: String, lower: String) -> PyResult<f64> {
        self.read(py, None, move |state, reading| {
            let (upper, lower) = (state.find(&upper)?, state.find(&lower)?);
            Ok(if upper == lower || lower.is_root() { 0.0 } else { reading.belief.path(upper, lower) })
        })
    }

    fn parents(&self, py: Python<'_>, child: String) -> PyResult<Vec<(String, f64)>> {
        self.read(py, None, move |state, reading| {
            let parents = reading.belief.reported_parents(state.find_concept(&child)?);
            Ok(parents.into_iter().map(|(parent, chance)| (state.name(parent).to_owned(), chance)).collect())
        })
    }

    /// The chance that people place a concept differently, where they do, and who said yes and no to each place.
    fn people(&self, py: Python<'_>, child: String) -> PyResult<String> {
        self.read(py, None, move |state, reading| {
            let child = state.find_concept(&child)?;
            let (chance, places) = reading.belief.places(child);
            let place = |place: &grove_belief::Place| {
                let [yes, no] = state.voters(place.parent, child);
                let mut object = json!(place.map(|parent| state.name(parent)));
                object["said_yes"] = json!(yes);
                object["said_no"] = json!(no);
                object
            };
            let places: Vec<Value> = places.iter().map(place).collect();
            Ok(json!({ "chance": chance, "places": places }).to_string())
        })
    }

    /// The votes behind a placement.
    fn why(&self, py: Python<'_>, child: String, parent: Option<String>) -> PyResult<String> {
        self.read(py, None, move |state, reading| {
            let child = state.find_concept(&child)?;
            let parent = parent.map(|parent| state.find(&parent)).transpose()?;
            state.why(reading, child, parent).map(|why| why.to_string())
        })
    }

    fn samples<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (concepts, flat) = self.read(py, None, move |state, reading| {
            let concepts = state.input.count();
            if count.checked_mul(concepts).is_none_or(|cells| cells > MOST_CELLS) {
                return Err(Failure::input(
                    "these are more trees than fit into memory; draw them in several calls",
                ));
            }
            Ok((concepts, parents_of(&reading.sample(count, seed))))
        })?;
        flat.into_pyarray(py).reshape([count, concepts])
    }

    /// Every draw of every chain: parents; and where rates are learnt, the chances of yes when above and when neither, by worker.
    #[expect(clippy::type_complexity, reason = "three arrays, unpacked at once in Python")]
    fn draws<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray3<i32>>, Option<[Bound<'py, PyArray3<f64>>; 2]>)> {
        let draws = self.read(py, None, |state, reading| Ok(Draws::new(state, reading)))?;
        let [chains, rounds] = draws.shape;
        let parents = draws.parents.into_pyarray(py).reshape([chains, rounds, draws.concepts])?;
        let rates = draws
            .rates
            .map(|rates| rates.map(|flat| flat.into_pyarray(py).reshape([chains, rounds, draws.workers])));
        Ok(match rates {
            Some([above, neither]) => (parents, Some([above?, neither?])),
            None => (parents, None),
        })
    }

    #[pyo3(signature = (count, worker, forms, strategy, seed))]
    fn next_questions(
        &self,
        py: Python<'_>,
        count: usize,
        worker: Option<String>,
        forms: Vec<String>,
        strategy: &str,
        seed: u64,
    ) -> PyResult<String> {
        let forms = forms.iter().map(|form| names::parse("form", form)).collect::<Result<Vec<_>, _>>()?;
        let strategy: Strategy = names::parse("strategy", strategy)?;
        if forms.is_empty() {
            return Err(Failure::input("there is no form to ask in; give yesno, pick, tick or place").into());
        }
        let wanted = Wanted { count: count.min(MOST_QUESTIONS), worker, forms, strategy, seed };
        self.with(py, None, move |state, _| Ok(state.next_questions(&wanted)?.to_string()))
    }

    /// Takes in votes; the number of the first of them, and how many there are.
    fn record(&self, py: Python<'_>, votes: Given) -> PyResult<(usize, usize)> {
        self.with(py, None, move |state, _| state.record(&votes.source()?, votes.rows()))
    }

    fn withdraw(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        self.with(py, None, move |state, _| state.withdraw(number))
    }

    /// Adds a correction: `rule` is directly, somewhere or not.
    fn correct(&self, py: Python<'_>, rule: &str, child: String, parent: String) -> PyResult<bool> {
        let rule = match rule {
            "directly" | "somewhere" | "not" => rule.to_owned(),
            other => return Err(Failure::input(format!("{other:?} is no rule of a correction")).into()),
        };
        self.with(py, None, move |state, _| {
            let (lower, upper) = (state.find_concept(&child)?, state.find(&parent)?);
            state.correct(match (rule.as_str(), upper.is_root()) {
                ("directly", true) => Correction::TopLevel { concept: lower },
                ("directly", false) => Correction::DirectlyUnder { lower, upper },
                ("somewhere", _) => Correction::SomewhereUnder { lower, upper },
                _ => Correction::NotUnder { lower, upper },
            })
        })
    }

    fn free(&self, py: Python<'_>, child: String, parent: Option<String>) -> PyResult<usize> {
        self.with(py, None, move |state, _| {
            let child = state.find_concept(&child)?;
            let parent = parent.map(|parent| state.find(&parent)).transpose()?;
            state.free(child, parent)
        })
    }

    fn corrections(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, None, |state, _| Ok(state.corrections().to_string()))
    }

    fn votes(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, None, |state, _| Ok(state.votes().to_string()))
    }

    /// The hierarchy in a format, or trees drawn from the belief.
    #[pyo3(signature = (format, about, samples = None, seed = 0))]
    fn export(
        &self,
        py: Python<'_>,
        format: &str,
        about: About,
        samples: Option<usize>,
        seed: u64,
    ) -> PyResult<String> {
        let format: Format = format.parse().map_err(Failure::from)?;
        let written = about.checked()?;
        self.read(py, None, move |_, reading| match samples {
            None => reading.export(format, written),
            Some(count) => {
                let format: SampleFormat = format.name().parse().map_err(|_| {
                    Failure::input(format!(
                        "sampled trees are written as newick or json, not as {format}; choose one"
                    ))
                })?;
                reading.export_samples(format, written, count, seed)
            }
        })
    }

    /// A hash of all that the next step of the belief depends on.
    fn digest(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, None, |state, _| Ok(state.working.digest()))
    }
}

/// The most questions that are chosen in one call.
const MOST_QUESTIONS: usize = 1_000;

/// The most numbers of one array of trees: 4 GB.
const MOST_CELLS: usize = 1 << 30;

fn parents_of(trees: &[grove_tree::Tree]) -> Vec<i32> {
    trees.iter().flat_map(|tree| tree.parents()).map(|parent| parent.index() as i32).collect()
}

/// All draws, chain by chain.
struct Draws {
    shape: [usize; 2],
    concepts: usize,
    workers: usize,
    parents: Vec<i32>,
    /// The chances of yes when above and when neither.
    rates: Option<[Vec<f64>; 2]>,
}

impl Draws {
    fn new(state: &State, reading: &Reading) -> Self {
        let (concepts, workers) = (state.input.count(), state.input.recorded.workers.len());
        let Engine::Ensemble(ensemble) = &reading.belief else {
            let [chains, rounds] = INDEPENDENT;
            let rng = &mut ChaCha8Rng::seed_from_u64(state.options.seed);
            let trees = reading.belief.sample(chains * rounds, rng);
            return Self { shape: INDEPENDENT, concepts, workers, parents: parents_of(&trees), rates: None };
        };
        let (chains, draws) = (ensemble.settings().trees, ensemble.draws());
        let rounds = draws.len() / chains;
        let mut parents = Vec::with_capacity(chains * rounds * concepts);
        let mut rates: [Vec<f64>; 2] = Default::default();
        for draw in draws {
            parents.extend(draw.tree.parents().iter().map(|parent| parent.index() as i32));
            for (flat, relation) in rates.iter_mut().zip([Held::Above, Held::Neither]) {
                flat.extend(draw.rates.iter().map(|rates| rates.yes(relation)));
            }
        }
        let learnt = rates[0].len() == chains * rounds * workers && workers > 0;
        Self { shape: [chains, rounds], concepts, workers, parents, rates: learnt.then_some(rates) }
    }
}
