//! Language models as workers: asked within a budget, never the same question twice, with the provenance of every
//! answer.
//!
//! All models together count as one worker per band of certainty. Models share errors, so ten that agree are hardly
//! more evidence than one: their probabilities of yes are averaged, and the mean is one vote of the worker for that
//! band. The rates of that worker are learnt like everybody's from questions that people have answered too, so a
//! model that is overconfident or useless counts for what it is worth.

mod report;
mod run;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use grove_belief::soft_vote;
use grove_crowd::{
    Answered, Asking, Budget, Cents, Endpoint, ModelClient, PROMPT_VERSION, Probe, Prompt, SpendingLimit,
    Usage,
};
use grove_store::{
    ModelCall, ModelCap, Moment, Question, Reply, Reserved, Response, Screen, Store, WorkerId,
};
use grove_vocabulary::Form;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{Access, Operation};
use crate::{Asked, Error};
pub use report::ModelReport;
pub(super) use run::ModelRuns;
pub use run::RunStatus;

/// The result of asking a model.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelRun {
    /// Questions that were sent.
    pub asked: u64,
    /// Questions whose answer was taken from the cache.
    pub cached: u64,
    /// The tokens that it has used in this campaign, over all runs.
    pub tokens: u64,
    /// What that cost, in millionths of a cent.
    pub cost: u64,
    /// Why it ended.
    pub ended: String,
}

/// How sure a plain answer without a probability is taken to be, before it is known how often such answers are right.
const PLAIN: f64 = 0.9;
/// The worker who stands for all models, followed by how sure they are.
const TOGETHER: &str = "models";
/// The most questions for a model, unless told otherwise: all pairs of 100 concepts.
pub const MODEL_QUESTIONS: u64 = 10_000;
/// Questions about pairs that are sent before their answers become votes.
const PAIRS_AT_ONCE: usize = 64;
/// How long it is remembered what an endpoint was found not to support, in microseconds: a day. It may have been a single odd response, and the endpoint of
/// all owners.
const PROBES_LAST: i64 = 86_400 * 1_000_000;
/// How long to wait before an outcome is recorded again that could not be.
const SETTLING: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];
/// The most concepts that a model is given to choose a place from.
const MOST_PLACES: usize = 500;

impl Access {
    /// The models that the caller may use.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn models(&self) -> Result<Vec<Endpoint>, Error> {
        self.caller.require(Operation::AskModels)?;
        let owner = self.owner_name().await?;
        Ok(self.workspace.crowds().models_for(owner.as_deref()).cloned().collect())
    }

    /// A client of a model that the caller may use, with what is known about its endpoint. It may spend `budget` on the campaign in all, and never
    /// more than the operator allows.
    ///
    /// # Errors
    /// [`Error::Panel`] for a model that the caller may not use.
    pub async fn model_client(&self, name: &str, budget: Option<Cents>) -> Result<ModelClient, Error> {
        let mut endpoint =
            self.models().await?.into_iter().find(|endpoint| endpoint.name == name).ok_or_else(|| {
                Error::Panel(format!(
                    "there is no model {name:?} that this account may use; ask the operator of the server"
                ))
            })?;
        endpoint.most = [endpoint.most, budget].into_iter().flatten().min();
        let client = ModelClient::new(endpoint);
        let since = Moment(self.workspace.now().0.saturating_sub(PROBES_LAST));
        let known = self.workspace.store().model_probe(&client.endpoint_key(), since).await?;
        Ok(client.with_probe(probe_of(known.as_deref())))
    }

    /// Forgets what a model's endpoint was found to support, in all campaigns: after a change at the endpoint, it is found out again.
    ///
    /// # Errors
    /// [`Error::Panel`] for a model that the caller may not use.
    pub async fn probe_model_again(&self, name: &str) -> Result<(), Error> {
        let client = self.model_client(name, None).await?;
        Ok(self.workspace.store().forget_model_probe(client.endpoint_key()).await?)
    }

    /// Asks a model up to `most` questions, and lets it vote: about every pair of concepts if they are no more than that, the most informative
    /// questions first otherwise.
    ///
    /// Models answer for next to nothing, so what they know is had first. Answers about every pair show by how they fit
    /// together what the model is worth: with 26 foods, people then had 25 to 43 % of the questions to answer that they
    /// have alone, beside a coin 55 to 130 %. After ten questions a concept, chosen by what they tell, it was 37 to
    /// 180 %: where a tree is built on a model's choice of errors, people have to take it down again.
    ///
    /// What was answered before an error is kept.
    ///
    /// # Errors
    /// [`Error::Forbidden`]; [`Error::Crowd`] if the model cannot be asked at all.
    pub async fn ask_model(&self, client: Arc<ModelClient>, most: u64) -> Result<ModelRun, Error> {
        self.caller.require(Operation::AskModels)?;
        let worker = worker_of(client.endpoint())?;
        let mut calls = self.workspace.store().calls_of(self.campaign.id()).await?;
        calls.retain(is_answered);
        let (own, others): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| call.worker == worker);
        let mut done: HashSet<Screen> = own.iter().filter_map(screen_of).collect();
        let known = others.into_iter().map(|call| (call.call.clone(), call)).collect();
        let limit = client.endpoint().limit();
        let mut asker =
            Asker { access: self, client: client.clone(), worker, known, limit, probe: client.probe() };
        let mut run = ModelRun { asked: 0, cached: 0, tokens: 0, cost: 0, ended: String::new() };
        let ended = loop {
            if client.is_stopped() {
                break Ok("it was stopped".to_owned());
            }
            let left = most - (run.asked + run.cached).min(most);
            if left == 0 {
                break Ok("it has answered the requested number of questions".to_owned());
            }
            let mut batch = self.unasked_pairs(&done, left)?;
            if batch.is_empty() {
                self.campaign.step().await?;
                let count = (client.endpoint().parallel as u64 * 4).min(left);
                batch = self.unasked(&done, count as usize)?;
            }
            if batch.is_empty() {
                break Ok("it has answered everything that is worth asking".to_owned());
            }
            done.extend(batch.iter().map(|asked| asked.screen.clone().in_order()));
            let (asked, cached, outcome) = asker.ask(batch).await?;
            run.asked += asked;
            run.cached += cached;
            match outcome {
                Ok(()) => {}
                Err(error @ grove_crowd::Error::OverBudget(_)) => break Ok(error.to_string()),
                Err(error) => break Err(error),
            }
        };
        // Trees that were there before so many votes came would stay near where they were.
        self.campaign.advance().await?;
        let name = &client.endpoint().name;
        let spent = self.workspace.store().model_spending(self.campaign.id(), name).await?;
        (run.tokens, run.cost) = (spent.tokens.unsigned_abs(), spent.cost.unsigned_abs());
        run.ended = match ended {
            Ok(reason) => reason,
            // Nothing was answered at all: report why instead of returning an empty result.
            Err(error) if run.asked + run.cached == 0 => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        Ok(run)
    }

    /// Some of the yes/no questions that a model has not seen, in random order; none if there are more than `left`, or if people are asked in other
    /// forms alone.
    fn unasked_pairs(&self, done: &HashSet<Screen>, left: u64) -> Result<Vec<Asked>, Error> {
        let state = self.campaign.state();
        if !state.settings().forms.contains(&Form::YesNo) {
            return Ok(Vec::new());
        }
        let present: Vec<u32> = state.concepts().present().map(|concept| concept.number).collect();
        // Known to be too many without a list of them.
        if (present.len() * present.len().saturating_sub(1)) as u64 > left + done.len() as u64 {
            return Ok(Vec::new());
        }
        let pairs = present.iter().flat_map(|&upper| present.iter().map(move |&lower| (upper, lower)));
        let screens = pairs.filter_map(|(upper, lower)| Question::path(upper, lower).ok().map(Screen::from));
        let mut unseen: Vec<Screen> = screens.filter(|screen| !done.contains(screen)).collect();
        if unseen.len() as u64 > left {
            return Ok(Vec::new());
        }
        let rng = &mut ChaCha8Rng::seed_from_u64(unseen.len() as u64);
        unseen.shuffle(rng);
        unseen.truncate(PAIRS_AT_ONCE);
        unseen.into_iter().map(|screen| state.ask(screen)).collect()
    }

    /// The most informative screens that a model has not seen.
    fn unasked(&self, done: &HashSet<Screen>, count: usize) -> Result<Vec<Asked>, Error> {
        let snapshot = self.campaign.snapshot();
        let state = self.campaign.state();
        let offered = snapshot.queue.iter().chain(&snapshot.reserve).map(|offer| &offer.screen);
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        for screen in offered {
            let key = screen.clone().in_order();
            if found.len() < count && !done.contains(&key) && seen.insert(key) {
                found.push(state.ask(screen.clone())?);
            }
        }
        Ok(found)
    }

    fn prompt(&self, asked: &Asked) -> Prompt {
        let options = match &asked.screen {
            Screen::Place { lower } => self.campaign.with_state(|state| {
                let others = state.concepts().present().filter(|concept| concept.number != *lower);
                others.take(MOST_PLACES).map(|concept| (concept.number, concept.name.clone())).collect()
            }),
            _ => asked.options().iter().map(|option| (option.number, option.name.clone())).collect(),
        };
        let title = self.campaign.with_state(|state| state.settings().heading().title);
        let definitions =
            asked.definitions().map(|(name, definition)| (name.to_owned(), definition.to_owned()));
        Prompt::new(&Asking {
            screen: asked.screen.clone(),
            text: asked.text.clone(),
            options,
            definitions: definitions.collect(),
            title,
        })
    }

    /// Casts the one vote of all models on each of these screens, in place of the one that they had cast before.
    async fn vote_together(&self, screens: &[Screen]) -> Result<(), Error> {
        let wanted: HashSet<Screen> = screens.iter().cloned().map(Screen::in_order).collect();
        let mut said: HashMap<Screen, BTreeMap<WorkerId, ModelCall>> = HashMap::new();
        for call in self.workspace.store().calls_of(self.campaign.id()).await? {
            let screen = screen_of(&call).filter(|screen| wanted.contains(screen) && is_answered(&call));
            if let Some(screen) = screen {
                // A model that is asked again does not count twice.
                said.entry(screen).or_default().insert(call.worker.clone(), call);
            }
        }
        let (mut replaced, mut votes) = (Vec::new(), Vec::new());
        for (screen, calls) in said {
            let old = self.campaign.with_state(|state| {
                let all =
                    state.votes().standing().filter(|vote| vote.response.screen.clone().in_order() == screen);
                let ours = all.filter(|vote| is_model(&vote.response.worker));
                ours.map(|vote| (vote.response.worker.clone(), vote.id, vote.response.reply.clone()))
                    .collect::<Vec<_>>()
            });
            let Some((worker, reply)) = voice(&screen, calls.values())? else { continue };
            if old.iter().any(|(had, _, said)| *had == worker && *said == reply) {
                continue;
            }
            replaced.extend(old.into_iter().map(|(_, vote, _)| vote));
            votes.push(Response { worker, screen, reply });
        }
        // Together: a screen whose vote was withdrawn is not asked again, so a crash in between would lose the vote.
        self.campaign.import_replacing(&replaced, votes).await.map(drop)
    }
}

/// One model that is asked the questions of one campaign.
struct Asker<'a> {
    access: &'a Access,
    client: Arc<ModelClient>,
    worker: WorkerId,
    /// What the same model has answered under another name, by what makes two calls the same.
    known: HashMap<String, ModelCall>,
    /// What it may use in this campaign.
    limit: SpendingLimit,
    /// What is stored about its endpoint.
    probe: Probe,
}

/// The budget of one question. It is in the database, which all programs share.
struct StoredBudget {
    store: Store,
    limit: SpendingLimit,
    call: ModelCall,
}

impl Budget for StoredBudget {
    async fn reserve(&self, most: Usage, cost: u64) -> Result<(), grove_crowd::Error> {
        let cap = ModelCap { tokens: self.limit.tokens.map(signed), cost: self.limit.cost().map(signed) };
        let call = using(self.call.clone(), most, cost);
        let reserved = self.store.reserve_call(call, cap).await;
        match reserved.map_err(|error| grove_crowd::Error::NotReserved(error.to_string()))? {
            Reserved::Yes => Ok(()),
            // What this question had reserved before is in it, so the words of the limit fit.
            Reserved::No(used) => {
                let used = (used.tokens.unsigned_abs(), used.cost.unsigned_abs());
                let refused = self.limit.check(used, (most.tokens(), cost));
                refused.and(Err(grove_crowd::Error::OverBudget("the budget is used up".to_owned())))
            }
        }
    }
}

fn using(call: ModelCall, used: Usage, cost: u64) -> ModelCall {
    ModelCall { input: signed(used.input), output: signed(used.output), cost: signed(cost), ..call }
}

/// Records the outcome of a question. It is paid for, so a database that is busy or away for a moment must not lose it.
async fn settle(store: &Store, call: ModelCall) -> Result<(), grove_store::Error> {
    for wait in SETTLING {
        match store.settle_call(call.clone()).await {
            Err(grove_store::Error::Busy | grove_store::Error::Unreachable(_)) => {
                tokio::time::sleep(wait).await
            }
            settled => return settled,
        }
    }
    store.settle_call(call).await
}

/// What is known about an endpoint; as good as nothing if it is not understood.
fn probe_of(known: Option<&str>) -> Probe {
    known.and_then(|known| serde_json::from_str(known).ok()).unwrap_or_default()
}

impl Asker<'_> {
    /// Asks several questions at once, records the answers and lets the models vote. Returns how many were sent, how many were known, and the first
    /// error.
    async fn ask(&mut self, batch: Vec<Asked>) -> Result<(u64, u64, Result<(), grove_crowd::Error>), Error> {
        let (mut asked, mut cached, mut outcome) = (0, 0, Ok(()));
        let mut under_way: JoinSet<(StoredBudget, Usage, Result<Answered, grove_crowd::Error>)> =
            JoinSet::new();
        let mut waiting = batch.into_iter();
        let mut answered: Vec<Screen> = Vec::new();
        let store = self.access.workspace.store();
        loop {
            let mut may_ask = outcome.is_ok() && !self.client.is_stopped();
            while may_ask && under_way.len() < self.client.endpoint().parallel {
                let Some(next) = waiting.next() else { break };
                let prompt = self.access.prompt(&next);
                let call = self.call(&next, &prompt);
                if let Some(known) = self.known.get(&call.call) {
                    // The same answer, at no cost.
                    let (id, worker) = (call.id, self.worker.clone());
                    let (input, output, cost) = (0, 0, 0);
                    store.add_call(ModelCall { id, worker, input, output, cost, ..known.clone() }).await?;
                    answered.push(next.screen);
                    cached += 1;
                    continue;
                }
                let budget = StoredBudget { store: store.clone(), limit: self.limit, call };
                let client = self.client.clone();
                under_way.spawn(async move {
                    let (used, answer) = client.ask_counted(&prompt, &budget).await;
                    (budget, used, answer)
                });
                may_ask = !self.client.is_stopped();
            }
            let Some(joined) = under_way.join_next().await else { break };
            // A call that panicked is charged what was recorded before it was sent.
            let Ok((StoredBudget { call, .. }, used, answer)) = joined else { continue };
            let screen = screen_of(&call);
            settle(store, self.settled(call, used, answer.as_ref().ok())).await?;
            match answer {
                Ok(_) => {
                    asked += 1;
                    answered.extend(screen);
                }
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        self.access.vote_together(&answered).await?;
        self.remember_probe().await?;
        Ok((asked, cached, outcome))
    }

    /// Stores what was found out about the endpoint, so that no later run finds it out again.
    async fn remember_probe(&mut self) -> Result<(), Error> {
        let probe = self.client.probe();
        if probe != self.probe {
            let (key, now) = (self.client.endpoint_key(), self.access.workspace.now());
            self.access.workspace.store().set_model_probe(key, json(&probe), now).await?;
            self.probe = probe;
        }
        Ok(())
    }

    /// A question that nothing is reserved for yet.
    fn call(&self, asked: &Asked, prompt: &Prompt) -> ModelCall {
        let endpoint = self.client.endpoint();
        ModelCall {
            id: Uuid::now_v7(),
            campaign: self.access.campaign.id(),
            worker: self.worker.clone(),
            endpoint: endpoint.name.clone(),
            model: endpoint.model.clone(),
            mode: "unanswered".to_owned(),
            prompt: prompt.hash(),
            call: self.client.key(prompt).0,
            screen: json(&asked.screen),
            reply: String::new(),
            yes: None,
            input: 0,
            output: 0,
            cost: 0,
            milliseconds: 0,
            at: self.access.workspace.now(),
        }
    }

    /// The question with its outcome.
    fn settled(&self, call: ModelCall, used: Usage, answer: Option<&Answered>) -> ModelCall {
        let used = using(call, used, used.cost(self.client.endpoint().price));
        let Some(answer) = answer else { return used };
        ModelCall {
            model: answer.model.clone(),
            mode: answer.mode.to_owned(),
            call: answer.call.0.clone(),
            reply: json(&answer.reply),
            yes: answer.yes.map(|yes| (yes * 1e9).round() as i64),
            milliseconds: signed(answer.milliseconds),
            ..used
        }
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Whether a model has answered: a call that failed is kept only because it was paid for.
fn is_answered(call: &ModelCall) -> bool {
    !call.reply.is_empty()
}

/// Whether a worker stands for models, which are not paid by the vote.
pub(crate) fn is_model(worker: &WorkerId) -> bool {
    let rest = worker.as_str().strip_prefix(TOGETHER);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
}

/// The worker that a model with its prompts is.
fn worker_of(endpoint: &Endpoint) -> Result<WorkerId, Error> {
    Ok(WorkerId::new(format!("model {} v{PROMPT_VERSION}", endpoint.name))?)
}

/// What all models together reply to a screen: the worker whose vote it is, and the reply. None if they cancel out,
/// or say nothing that counts.
fn voice<'a>(
    screen: &Screen,
    calls: impl Iterator<Item = &'a ModelCall>,
) -> Result<Option<(WorkerId, Reply)>, Error> {
    if screen.question().is_none() {
        // Other forms have no probability to average: the first model that answered speaks for all.
        let mut replies: Vec<(&ModelCall, Reply)> =
            calls.filter_map(|call| Some((call, serde_json::from_str(&call.reply).ok()?))).collect();
        replies.sort_by_key(|(call, _)| (call.at, call.id));
        let reply = replies.into_iter().map(|(_, reply)| reply).find(|reply| *reply != Reply::CantSay);
        return Ok(match reply {
            Some(reply) => Some((WorkerId::new(TOGETHER)?, reply)),
            None => None,
        });
    }
    let probabilities: Vec<f64> = calls.filter_map(probability).collect();
    let Some((band, answer)) = soft_vote(probabilities)? else { return Ok(None) };
    Ok(Some((WorkerId::new(format!("{TOGETHER}, {}", band.name()))?, answer.into())))
}

fn probability(call: &ModelCall) -> Option<f64> {
    match call.yes {
        Some(billionths) => Some((billionths as f64 / 1e9).clamp(0.0, 1.0)),
        None => said_yes(call).map(|yes| if yes { PLAIN } else { 1.0 - PLAIN }),
    }
}

fn said_yes(call: &ModelCall) -> Option<bool> {
    match serde_json::from_str(&call.reply).ok()? {
        Reply::Yes => Some(true),
        Reply::No => Some(false),
        _ => None,
    }
}

fn screen_of(call: &ModelCall) -> Option<Screen> {
    serde_json::from_str::<Screen>(&call.screen).ok().map(Screen::in_order)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("screens and replies have text keys only")
}
