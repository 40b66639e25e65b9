//! Distributions over trees by edge weights, with arrays of numpy in and out.

use std::sync::{Arc, OnceLock};

use grove_tree::{Concept, EdgeMarginals, FitLimits, FitOutcome, MaxEntropy, Sampler, SamplingMethod, Tree};
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods, ToPyArray,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::background::{guarded, run};
use crate::error::Failure;

/// Up to so many concepts an elimination takes less than a tenth of a second: it is computed at once. Beyond, a thread computes it, and Ctrl-C
/// is looked for meanwhile. Starting the thread takes some 50 microseconds, and its memory is new: a third of the time at 500 concepts.
const AT_ONCE: usize = 1000;

/// The same for a fit, which takes many eliminations.
const FITTED_AT_ONCE: usize = 50;

/// Up to so many concepts the best tree is found within 0.1 milliseconds: other threads can wait that long.
const LOCKED: usize = 200;

/// Up to so many parents in all are drawn at once.
const DRAWN_AT_ONCE: usize = 200_000;

/// Trees that are drawn between two looks for Ctrl-C.
const BATCH: usize = 256;

type Array<'py> = Bound<'py, PyArray2<f64>>;
type Parents<'py> = Bound<'py, PyArray1<i32>>;

/// A probability distribution over all trees of N concepts, given by one log-weight per edge.
///
/// The probability of a tree is proportional to the product of the weights of its edges. `log_weights` has one row per child (concepts 1 to
/// N) and one column per parent (0 is the root): shape `(N, N + 1)`. `-inf` forbids an edge; the entry of a concept under itself is ignored.
///
/// Everything is exact, and good to about 1e-14 at any spread of the weights: nothing is ever subtracted. The object does not change;
/// `observe`, `pin` and `forbid` return another one.
///
/// >>> import numpy as np
/// >>> weights = EdgeWeights(np.zeros((3, 4)))       # all 16 trees of three concepts
/// >>> round(float(np.exp(weights.log_z())), 6)
/// 16.0
/// >>> weights.marginals().round(3).tolist().pop(0)      # the parents of concept 1
/// [0.5, 0.0, 0.25, 0.25]
/// >>> weights.pin(parent=1, child=2).best_tree().tolist()
/// [0, 1, 0]
#[pyclass(frozen, module = "taxogrove", name = "EdgeWeights")]
pub(crate) struct EdgeWeights {
    inner: Arc<Inner>,
}

struct Inner {
    weights: grove_tree::EdgeWeights,
    marginals: OnceLock<EdgeMarginals>,
    sampler: OnceLock<Sampler>,
}

impl Inner {
    fn marginals(&self) -> Result<&EdgeMarginals, Failure> {
        if let Some(known) = self.marginals.get() {
            return Ok(known);
        }
        let found = self.weights.marginals()?;
        Ok(self.marginals.get_or_init(|| found))
    }

    fn log_z(&self) -> Result<f64, Failure> {
        match self.marginals.get() {
            Some(known) => Ok(known.log_partition()),
            None => Ok(self.weights.log_partition()?),
        }
    }

    fn sampler(&self) -> Result<&Sampler, Failure> {
        if let Some(known) = self.sampler.get() {
            return Ok(known);
        }
        let built = self.weights.sampler()?;
        Ok(self.sampler.get_or_init(|| built))
    }
}

impl EdgeWeights {
    fn of(weights: grove_tree::EdgeWeights) -> Self {
        let inner = Inner { weights, marginals: OnceLock::new(), sampler: OnceLock::new() };
        Self { inner: Arc::new(inner) }
    }

    fn count(&self) -> usize {
        self.inner.weights.len()
    }

    /// Computes without the interpreter's lock: at once where it takes milliseconds, otherwise so that Ctrl-C is noticed.
    fn compute<T: Send + 'static>(
        &self,
        py: Python<'_>,
        quick: bool,
        work: impl FnOnce(&Inner) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let inner = Arc::clone(&self.inner);
        match quick {
            true => Ok(py.detach(|| guarded(|| work(&inner)))?),
            false => run(py, None, move |_| work(&inner)),
        }
    }

    fn is_small(&self) -> bool {
        self.count() <= AT_ONCE
    }

    fn edited(
        &self,
        edit: impl FnOnce(&mut grove_tree::EdgeWeights) -> Result<(), grove_tree::Error>,
    ) -> PyResult<Self> {
        let mut weights = self.inner.weights.clone();
        edit(&mut weights).map_err(Failure::from)?;
        Ok(Self::of(weights))
    }
}

#[pymethods]
impl EdgeWeights {
    #[new]
    fn new(log_weights: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (count, rows) = square("log_weights", log_weights)?;
        Ok(Self::of(grove_tree::EdgeWeights::from_rows(count, rows).map_err(Failure::from)?))
    }

    /// The distribution under which all (N+1)^(N-1) trees are equally probable.
    #[staticmethod]
    fn uniform(count: usize) -> PyResult<Self> {
        check_count(count)?;
        Ok(Self::of(grove_tree::EdgeWeights::uniform(count)))
    }

    /// The weights whose edge probabilities are within `shrinkage` of `target`, of greatest entropy: l1-regularised maximum entropy.
    ///
    /// `target` has the shape `(N, N + 1)`, and every row sums to 1; `shrinkage` is one number or such an array. `start` may be an earlier fit.
    ///
    /// >>> import numpy as np
    /// >>> truth = EdgeWeights(np.log([[1.0, 1.0, 2.0], [1.0, 3.0, 1.0]]))
    /// >>> fit = EdgeWeights.fit(truth.marginals(), shrinkage=1e-6)
    /// >>> bool(np.abs(fit.weights.marginals() - truth.marginals()).max() < 1e-4)
    /// True
    #[staticmethod]
    #[pyo3(signature = (target, shrinkage = None, *, start = None, tolerance = 1e-6, max_eliminations = 2000))]
    fn fit(
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        shrinkage: Option<&Bound<'_, PyAny>>,
        start: Option<PyRef<'_, EdgeWeights>>,
        tolerance: f64,
        max_eliminations: usize,
    ) -> PyResult<Fit> {
        if tolerance.is_nan() || tolerance <= 0.0 {
            return Err(
                Failure::input(format!("the tolerance is {tolerance}; give a positive number")).into()
            );
        }
        let (count, target) = square("target", target)?;
        let shrinkage = Shrinkage::new(shrinkage, count)?;
        let start = start.map(|start| Arc::clone(&start.inner));
        let limits = FitLimits { kkt_residual: tolerance, eliminations: max_eliminations };
        let work = move || {
            let at = |parent: Concept, child: Concept| (child.index() - 1) * (count + 1) + parent.index();
            let problem = MaxEntropy::new(count, |p, c| target[at(p, c)], |p, c| shrinkage.of(at(p, c)))?;
            let start = match &start {
                Some(start) => start.weights.clone(),
                None => problem.forbid_unseen(&grove_tree::EdgeWeights::uniform(count))?,
            };
            Ok(problem.fit(&start, limits)?)
        };
        let fit = match count <= FITTED_AT_ONCE {
            true => py.detach(|| guarded(work))?,
            false => run(py, None, move |_| work())?,
        };
        let outcome = match fit.outcome {
            FitOutcome::Converged => "converged",
            FitOutcome::BudgetSpent => "budget_spent",
            FitOutcome::Stalled => "stalled",
        };
        let grove_tree::Fit { weights, objective, kkt_residual, eliminations, .. } = fit;
        let weights = Py::new(py, Self::of(weights))?;
        Ok(Fit { weights, objective, residual: kkt_residual, eliminations, outcome })
    }

    /// The number of concepts, N.
    fn __len__(&self) -> usize {
        self.count()
    }

    fn __repr__(&self) -> String {
        format!("<EdgeWeights of {} concepts>", self.count())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().inner.weights == self.inner.weights)
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(pyo3::exceptions::PyTypeError::new_err("EdgeWeights cannot be hashed"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>().into_any();
        Ok((class, PyTuple::new(py, [self.log_weights(py)])?))
    }

    /// The log-weights, as a new array of shape `(N, N + 1)`.
    #[getter]
    fn log_weights<'py>(&self, py: Python<'py>) -> Array<'py> {
        copied(py, self.count(), self.inner.weights.rows())
    }

    /// The logarithm of the sum over all trees of the product of their weights.
    fn log_z(&self, py: Python<'_>) -> PyResult<f64> {
        match self.inner.marginals.get() {
            Some(known) => Ok(known.log_partition()),
            None => self.compute(py, self.is_small(), Inner::log_z),
        }
    }

    /// The probability of every edge, as an array of shape `(N, N + 1)`; every row sums to 1. `log_z` and `entropy` cost nothing afterwards.
    fn marginals<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        if self.inner.marginals.get().is_none() {
            self.compute(py, self.is_small(), |inner| inner.marginals().map(drop))?;
        }
        Ok(copied(py, self.count(), self.inner.marginals()?.rows()))
    }

    /// The entropy of the distribution over trees, in nats.
    fn entropy(&self, py: Python<'_>) -> PyResult<f64> {
        let is_known = self.inner.marginals.get().is_some();
        self.compute(py, self.is_small() || is_known, |inner| {
            Ok(inner.marginals()?.entropy(&inner.weights)?)
        })
    }

    /// The Kullback-Leibler divergence of `other` from this distribution, in nats.
    fn kl_divergence(&self, py: Python<'_>, other: PyRef<'_, EdgeWeights>) -> PyResult<f64> {
        let other = Arc::clone(&other.inner);
        self.compute(py, self.is_small(), move |inner| Ok(inner.weights.kl_divergence(&other.weights)?))
    }

    /// The most probable tree: the parent of every concept, 0 for the root.
    fn best_tree<'py>(&self, py: Python<'py>) -> PyResult<Parents<'py>> {
        let tree = self.compute(py, self.is_small(), |inner| Ok(inner.weights.best_tree()?))?;
        Ok(parents(py, &tree))
    }

    /// Independent trees from the distribution, as an array of shape `(count, N)`: the parent of every concept, 0 for the root.
    ///
    /// The same seed gives the same trees. `method` is "walk" (Wilson's), "restore", or None for the faster of the two; both are exact.
    #[pyo3(signature = (count, seed = 0, *, method = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        method: Option<&str>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let method = method.map(sampling_method).transpose()?;
        let concepts = self.count();
        let size = count.checked_mul(concepts).filter(|&size| size <= MOST_CELLS);
        let size = size.ok_or_else(|| Failure::input(TOO_MANY_TREES))?;
        let is_ready = self.is_small() || (method.is_none() && self.inner.sampler.get().is_some());
        let quick = is_ready && size <= DRAWN_AT_ONCE;
        let inner = Arc::clone(&self.inner);
        let work = move |is_cancelled: &dyn Fn() -> bool| {
            let own = method.map(|method| inner.weights.sampler_by(method)).transpose()?;
            let sampler = own.as_ref().map_or_else(|| inner.sampler(), Ok)?;
            draw(sampler, count, size, &mut ChaCha8Rng::seed_from_u64(seed), is_cancelled)
        };
        let flat = match quick {
            true => py.detach(|| guarded(|| work(&|| false)))?,
            false => run(py, None, move |watch| work(&|| watch.is_cancelled()))?,
        };
        Ok(shaped(py, [count, concepts], flat))
    }

    /// The logarithm of the probability of a tree, given by the parent of every concept.
    fn log_probability(&self, py: Python<'_>, parents: &Bound<'_, PyAny>) -> PyResult<f64> {
        let tree = tree_of(parents)?;
        self.compute(py, self.is_small(), move |inner| Ok(inner.weights.log_score(&tree)? - inner.log_z()?))
    }

    /// The distribution after one answer to "is `parent` the parent of `child`?" from somebody who errs at the rate `noise`.
    #[pyo3(signature = (parent, child, yes, noise = 0.1))]
    fn observe(&self, parent: usize, child: usize, yes: bool, noise: f64) -> PyResult<Self> {
        let (parent, child) = (concept(parent)?, concept(child)?);
        self.edited(|weights| weights.observe_edge(parent, child, yes, noise))
    }

    /// The distribution given that `parent` is the parent of `child`.
    fn pin(&self, parent: usize, child: usize) -> PyResult<Self> {
        let (parent, child) = (concept(parent)?, concept(child)?);
        self.edited(|weights| weights.pin(parent, child))
    }

    /// The distribution given that `parent` is not the parent of `child`.
    fn forbid(&self, parent: usize, child: usize) -> PyResult<Self> {
        let (parent, child) = (concept(parent)?, concept(child)?);
        self.edited(|weights| weights.forbid(parent, child))
    }
}

/// Fitted weights, and how good they are.
#[pyclass(frozen, module = "taxogrove", name = "Fit", get_all)]
pub(crate) struct Fit {
    /// The best weights found.
    weights: Py<EdgeWeights>,
    /// The value of the objective.
    objective: f64,
    /// How far the weights are from optimal.
    residual: f64,
    /// How often log Z and all marginals were computed.
    eliminations: usize,
    /// "converged", "budget_spent" or "stalled".
    outcome: &'static str,
}

#[pymethods]
impl Fit {
    fn __repr__(&self) -> String {
        let Self { outcome, residual, eliminations, .. } = self;
        format!("<Fit {outcome} after {eliminations} eliminations, residual {residual:.2e}>")
    }
}

/// The tree whose edges have the greatest sum of scores: the parent of every concept, 0 for the root.
///
/// `scores` has one row per child and one column per parent, as in `EdgeWeights`; `-inf` forbids an edge. Chu, Liu and Edmonds in O(N^2).
///
/// >>> import numpy as np
/// >>> best_tree(np.array([[5.0, 0.0, 1.0], [9.0, 8.0, 0.0]])).tolist()
/// [0, 0]
#[pyfunction]
pub(crate) fn best_tree<'py>(py: Python<'py>, scores: &Bound<'py, PyAny>) -> PyResult<Parents<'py>> {
    let (count, rows) = square("scores", scores)?;
    let row = |child: Concept| &rows[(child.index() - 1) * (count + 1)..child.index() * (count + 1)];
    let find = || guarded(|| Ok(grove_tree::best_tree(count, row)?));
    let tree = if count <= LOCKED { find()? } else { py.detach(find)? };
    Ok(parents(py, &tree))
}

/// One number for all edges, or one for each.
enum Shrinkage {
    One(f64),
    Each(Vec<f64>),
}

impl Shrinkage {
    fn new(given: Option<&Bound<'_, PyAny>>, count: usize) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self::One(1e-3)) };
        if let Ok(one) = given.extract::<f64>() {
            return Ok(Self::One(one));
        }
        let (found, each) = square("shrinkage", given)?;
        if found != count {
            return Err(Failure::from(grove_tree::Error::CountMismatch { expected: count, found }).into());
        }
        Ok(Self::Each(each))
    }

    fn of(&self, at: usize) -> f64 {
        match self {
            Self::One(one) => *one,
            Self::Each(all) => all[at],
        }
    }
}

/// The most numbers of one array of trees: 4 GB.
const MOST_CELLS: usize = 1 << 30;

const TOO_MANY_TREES: &str = "these are more trees than fit into memory; draw them in several calls";

/// The most concepts of which a square array is made: 3.2 GB.
const MOST_CONCEPTS: usize = 20_000;

fn check_count(count: usize) -> Result<(), Failure> {
    match count <= MOST_CONCEPTS {
        true => Ok(()),
        false => Err(Failure::input(format!(
            "there are {count} concepts, but at most {MOST_CONCEPTS} fit into memory"
        ))),
    }
}

fn concept(number: usize) -> Result<Concept, Failure> {
    match u32::try_from(number) {
        Ok(_) => Ok(Concept::new(number)),
        Err(_) => Err(Failure::input(format!("{number} is no concept's number"))),
    }
}

fn sampling_method(name: &str) -> Result<SamplingMethod, Failure> {
    match name {
        "walk" => Ok(SamplingMethod::Walk),
        "restore" => Ok(SamplingMethod::Restore),
        other => Err(Failure::input(format!("{other:?} is no method of sampling; give walk or restore"))),
    }
}

/// Draws trees into one array, one batch after the other.
fn draw(
    sampler: &Sampler,
    count: usize,
    size: usize,
    rng: &mut ChaCha8Rng,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<i32>, Failure> {
    let mut flat = Vec::with_capacity(size);
    let mut left = count;
    while left > 0 {
        if is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let batch = left.min(BATCH);
        for drawn in sampler.draw_many(batch, rng, &|| false)? {
            flat.extend(numbers(&drawn.tree));
        }
        left -= batch;
    }
    Ok(flat)
}

fn numbers(tree: &Tree) -> impl Iterator<Item = i32> {
    tree.parents().iter().map(|parent| parent.index() as i32)
}

/// A tree from anything that numpy takes for a list of numbers.
fn tree_of(parents: &Bound<'_, PyAny>) -> PyResult<Tree> {
    let array = converted("parents", parents, "int64")?;
    let array: PyReadonlyArray1<'_, i64> = array
        .extract()
        .map_err(|_| Failure::input("parents must be a list of numbers, one for each concept"))?;
    let parent = |&number: &i64| {
        let number = usize::try_from(number).map_err(|_| {
            Failure::input(format!("{number} is no parent; the root is 0, concepts are 1, 2 and so on"))
        })?;
        concept(number)
    };
    let parents: Result<Vec<Concept>, Failure> = array.as_slice()?.iter().map(parent).collect();
    Ok(Tree::from_parents(&parents?).map_err(Failure::from)?)
}

/// The number of concepts, and one row per child with one column per parent: a copy, so that another thread may write to the array.
fn square(what: &str, given: &Bound<'_, PyAny>) -> PyResult<(usize, Vec<f64>)> {
    let converted_array;
    let array = match given.cast::<PyArray2<f64>>() {
        Ok(array) if array.is_c_contiguous() && array.is_aligned() => array,
        _ => {
            converted_array = converted(what, given, "float64")?;
            let shape: Vec<usize> = converted_array.getattr("shape")?.extract()?;
            converted_array.cast().map_err(|_| Failure::input(wrong_shape(what, &shape)))?
        }
    };
    let &[count, width] = array.shape() else { unreachable!("an array of two dimensions") };
    if width != count + 1 {
        return Err(Failure::input(wrong_shape(what, array.shape())).into());
    }
    check_count(count)?;
    Ok((count, array.to_vec()?))
}

fn wrong_shape(what: &str, shape: &[usize]) -> String {
    format!(
        "{what} has the shape {shape:?}; give one row per concept and one column per parent, the root first: (N, N + 1)"
    )
}

/// An array of another type or layout, copied. Only numbers are taken: text that looks like one is a mistake.
fn converted<'py>(what: &str, given: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let array = numpy
        .call_method1("asarray", (given,))
        .map_err(|error| Failure::input(format!("{what} is no array of numbers: {}", error.value(py))))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let allowed = if dtype == "int64" { "iu" } else { "iuf" };
    // An empty list is one of floats.
    let is_nothing = kind == "f" && array.len().unwrap_or(1) == 0;
    if !allowed.contains(kind.as_str()) && !is_nothing {
        let found = array.getattr("dtype")?.str()?;
        return Err(
            Failure::input(format!("{what} holds values of type {found}; give numbers ({dtype})")).into()
        );
    }
    numpy.call_method1("require", (array, dtype, ["C_CONTIGUOUS", "ALIGNED"]))
}

/// One row per child and one column per parent, copied: for small arrays that is faster than handing over memory.
fn copied<'py>(py: Python<'py>, count: usize, rows: &[f64]) -> Array<'py> {
    let rows = ArrayView2::from_shape([count, count + 1], rows);
    rows.expect("one row per concept and one column per parent").to_pyarray(py)
}

fn parents<'py>(py: Python<'py>, tree: &Tree) -> Parents<'py> {
    // An iterator would hand over its memory, which takes longer than a copy of a few numbers.
    PyArray1::from_slice(py, &numbers(tree).collect::<Vec<i32>>())
}

/// Numbers that exist already as an array; `reshape` would make a second object.
fn shaped<'py, T: numpy::Element>(
    py: Python<'py>,
    shape: [usize; 2],
    flat: Vec<T>,
) -> Bound<'py, PyArray2<T>> {
    Array2::from_shape_vec(shape, flat).expect("as many numbers as the shape says").into_pyarray(py)
}
