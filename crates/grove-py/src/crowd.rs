//! Simulated people, for Python.

use std::sync::Mutex;

use grove_belief::{Screen, Worker};
use grove_formats::NameIndex;
use grove_sim::{CrowdSpec, Dataset, Shares};
use grove_tree::{Concept, NamedTree};
use pyo3::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::background::guarded;
use crate::error::Failure;

/// The native half of `taxogrove.Crowd`.
#[pyclass(frozen, module = "taxogrove._native")]
pub(crate) struct Crowd {
    truth: NamedTree,
    index: NameIndex,
    people: Mutex<(grove_sim::Crowd, ChaCha8Rng)>,
}

/// Where the people's hierarchies come from: a built-in data set, or pairs of child and parent.
#[derive(FromPyObject)]
enum Truth {
    Dataset(String),
    Pairs(Vec<(String, String)>),
}

impl Truth {
    fn read(self) -> Result<(NamedTree, Shares), Failure> {
        match self {
            Self::Dataset(name) => {
                let set = Dataset::find(&name).ok_or_else(|| {
                    let known = Dataset::ALL.map(Dataset::name).join(", ");
                    Failure::input(format!("{name:?} is no built-in hierarchy; give one of {known}"))
                })?;
                Ok((set.tree(), set.shares()))
            }
            Self::Pairs(pairs) => {
                let tree = NamedTree::from_pairs(&pairs)?;
                let shares = Shares::none(tree.tree());
                Ok((tree, shares))
            }
        }
    }
}

#[pymethods]
impl Crowd {
    /// `spec` has lines `key = value`.
    #[new]
    fn new(truth: Truth, spec: &str, seed: u64) -> PyResult<Self> {
        Ok(guarded(|| {
            let (truth, shares) = truth.read()?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let people = grove_sim::Crowd::gather(&CrowdSpec::parse(spec)?, &shares, &mut rng)?;
            let names = truth.tree().concepts().map(|concept| truth.name(concept));
            let index =
                NameIndex::new(Some(truth.name(Concept::ROOT)), names.map(|name| (name, [].as_slice())));
            Ok(Self { index, truth, people: Mutex::new((people, rng)) })
        })?)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.people.lock().map_err(|_| Failure::poisoned())?.0.people().len())
    }

    /// The names of the root and of all concepts, by number.
    fn names(&self) -> Vec<String> {
        let all = std::iter::once(Concept::ROOT).chain(self.truth.tree().concepts());
        all.map(|concept| self.truth.name(concept).to_owned()).collect()
    }

    /// The pairs of child and parent of the reference.
    fn edges(&self) -> Vec<(String, String)> {
        let name = |concept| self.truth.name(concept).to_owned();
        self.truth.tree().edges().map(|(parent, child)| (name(child), name(parent))).collect()
    }

    /// What a person says to a screen, both as JSON.
    fn reply(&self, py: Python<'_>, person: usize, screen: &str) -> PyResult<String> {
        let screen = self.screen(screen)?;
        let people = &self.people;
        let reply = py.detach(|| {
            guarded(|| {
                let (crowd, rng) = &mut *people.lock().map_err(|_| Failure::poisoned())?;
                let count = crowd.people().len();
                if person >= count {
                    return Err(Failure::input(format!(
                        "there is no person {person}; they are numbered 0 to {}",
                        count - 1
                    )));
                }
                Ok(crowd.reply(Worker::new(person as u32), &screen, rng))
            })
        })?;
        let named = reply.map(|concept| self.truth.name(concept).to_owned());
        Ok(serde_json::to_string(&named).map_err(Failure::from)?)
    }
}

impl Crowd {
    fn screen(&self, text: &str) -> Result<Screen, Failure> {
        let value: Value = serde_json::from_str(text)?;
        let named: grove_vocabulary::Screen<String> = serde_json::from_value(value)?;
        let mut unknown = None;
        let screen = named.map(|name| {
            self.index.find(&name).unwrap_or_else(|| {
                unknown = Some(name);
                Concept::ROOT
            })
        });
        if let Some(name) = unknown {
            return Err(Failure::input(format!("{name:?} is not among the concepts of this crowd")));
        }
        screen.check()?;
        Ok(screen)
    }
}
