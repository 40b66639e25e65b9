//! What models said, what people changed, what it cost, and who may have copied their answers.

use std::collections::{BTreeMap, HashMap};

use grove_belief::WorkerReport;
use grove_crowd::{Agreement, follows};
use grove_store::{ModelCall, Reply, Response, Screen, WorkerId};

use super::super::{Access, Operation};
use super::{is_answered, is_model, said_yes, screen_of};
use crate::Error;

/// What a model said in a campaign, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelReport {
    /// The operator's name for it.
    pub endpoint: String,
    /// The models that answered, as the endpoint calls them.
    pub models: Vec<String>,
    /// Questions that it answered.
    pub answers: u64,
    /// Those to which it said yes.
    pub yes: u64,
    /// Those to which it said no.
    pub no: u64,
    /// Yes/no answers that the present hierarchy contradicts: what people changed.
    pub changed: u64,
    /// The number of tokens that it used.
    pub tokens: u64,
    /// What it cost, in millionths of a cent.
    pub cost: u64,
}

/// How many questions a worker must share with a model before it is said whether they copy it.
const ENOUGH: usize = 10;

impl Access {
    /// What each model said, what people changed, and what it cost.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn model_reports(&self) -> Result<Vec<ModelReport>, Error> {
        self.caller.require(Operation::ReadPayments)?;
        let mut reports: BTreeMap<WorkerId, ModelReport> = BTreeMap::new();
        for call in self.workspace.store().calls_of(self.campaign.id()).await? {
            let report = reports.entry(call.worker.clone()).or_default();
            report.endpoint.clone_from(&call.endpoint);
            report.tokens += call.input.unsigned_abs() + call.output.unsigned_abs();
            report.cost += call.cost.unsigned_abs();
            if !is_answered(&call) {
                continue;
            }
            if !report.models.contains(&call.model) {
                report.models.push(call.model.clone());
            }
            report.answers += 1;
            let Some(said_yes) = said_yes(&call) else { continue };
            *(if said_yes { &mut report.yes } else { &mut report.no }) += 1;
            let holds = screen_of(&call).and_then(|screen| self.holds(&screen));
            report.changed += u64::from(holds.is_some_and(|holds| holds != said_yes));
        }
        Ok(reports.into_values().collect())
    }

    /// Every question to a model, answered or not, with where the answer came from, in the order of asking.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn model_calls(&self) -> Result<Vec<ModelCall>, Error> {
        self.caller.require(Operation::ReadPayments)?;
        let mut calls = self.workspace.store().calls_of(self.campaign.id()).await?;
        calls.sort_by_key(|call| (call.at, call.id));
        Ok(calls)
    }

    /// Whether the answer to a yes/no question is yes in the present hierarchy.
    fn holds(&self, screen: &Screen) -> Option<bool> {
        let question = screen.question()?;
        let snapshot = self.campaign.snapshot();
        let place = |number: u32| {
            snapshot
                .numbers
                .iter()
                .position(|known| *known == number)
                .map(|at| grove_tree::Concept::new(at + 1))
        };
        let (upper, lower) = (place(question.upper)?, place(question.lower)?);
        Some(snapshot.hierarchy.tree().is_above(upper, lower))
    }

    /// P(copies some model's answers) of the workers who have answered enough of the yes/no questions that it has answered: a reason to look, never to
    /// reject. `reports` says what is believed about each worker.
    pub(in crate::operations) async fn copiers(
        &self,
        reports: &HashMap<WorkerId, WorkerReport>,
    ) -> Result<HashMap<WorkerId, f64>, Error> {
        let calls = self.workspace.store().calls_of(self.campaign.id()).await?;
        let mut models: HashMap<&WorkerId, HashMap<Screen, bool>> = HashMap::new();
        for call in &calls {
            if let (Some(screen), Some(yes)) = (screen_of(call), said_yes(call)) {
                models.entry(&call.worker).or_default().insert(screen, yes);
            }
        }
        if models.is_empty() {
            return Ok(HashMap::new());
        }
        let votes: Vec<Response> = self
            .campaign
            .with_state(|state| state.votes().alive().map(|vote| vote.response.clone()).collect());
        let mut answers: HashMap<(WorkerId, &WorkerId), Vec<Agreement>> = HashMap::new();
        for Response { worker, screen, reply } in votes {
            let said = match reply {
                Reply::Yes => true,
                Reply::No => false,
                _ => continue,
            };
            let screen = screen.in_order();
            let Some(holds) = self.holds(&screen).filter(|_| !is_model(&worker)) else { continue };
            let report = reports.get(&worker);
            let rate =
                report.map(|report| if holds { report.when_above.mean } else { report.when_neither.mean });
            let expected = rate.unwrap_or(if holds { 0.9 } else { 0.1 });
            for (&model, said_by_model) in &models {
                if let Some(&model_said) = said_by_model.get(&screen) {
                    let agreement = Agreement { worker: said, model: model_said, expected };
                    answers.entry((worker.clone(), model)).or_default().push(agreement);
                }
            }
        }
        // The model that a worker follows most.
        let mut most: HashMap<WorkerId, f64> = HashMap::new();
        for ((worker, _), answers) in answers.into_iter().filter(|(_, answers)| answers.len() >= ENOUGH) {
            let chance = most.entry(worker).or_default();
            *chance = chance.max(follows(&answers));
        }
        Ok(most)
    }
}
