use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use grove_vocabulary::{Form, Reply};
use hyper::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Budget, Heard, Probe, Prompt, Usage, heard};
use crate::retry::jitter;
use crate::{Backoff, Endpoint, Error, Http, Outcome};

/// How long an answer may take: a model on a small machine has to read the prompt first.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How many parameters may be dropped for one question.
const MOST_REFUSALS: u32 = 8;
/// How often the same question is asked again if the response cannot be read as an answer.
const MOST_UNREADABLE: u32 = 2;
/// More tokens than any model reads or writes for one question. An endpoint that reports more is not believed.
const MOST_PLAUSIBLE: u64 = 1_000_000;
/// After so many questions in a row whose answers could not be read, the model is no longer asked: each of them costs money.
const MOST_IN_A_ROW: u32 = 20;

/// A model, asked one question at a time or several at once. It remembers what the endpoint supports.
pub struct ModelClient {
    http: Http,
    endpoint: Endpoint,
    backoff: Backoff,
    probe: Mutex<Probe>,
    is_stopped: AtomicBool,
    /// How many questions in a row ended without an answer that could be read.
    unreadable_in_a_row: AtomicU32,
}

/// What makes two calls the same: base address, model, parameters, rendered prompt and the number of samples, as a hash. The answer to the same call is taken from the cache.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallKey(pub String);

/// An answer with where it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Answered {
    /// The answer; the reply is "can't say" if the model's words could not be read as one.
    pub reply: Reply<u32>,
    /// P(yes), if the model states it.
    pub yes: Option<f64>,
    /// The model that answered, as the endpoint calls it.
    pub model: String,
    /// How it was asked.
    pub mode: &'static str,
    /// The hash of the prompt.
    pub prompt: String,
    /// What makes another call the same as this.
    pub call: CallKey,
    /// What was used, over all attempts.
    pub usage: Usage,
    /// What it cost, in millionths of a cent.
    pub cost: u64,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

impl ModelClient {
    /// A client of an endpoint, about which nothing is known yet.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        let http = Http::new(TIMEOUT);
        let (backoff, probe) = (Backoff::default(), Mutex::default());
        let is_stopped = AtomicBool::new(false);
        Self { http, endpoint, backoff, probe, is_stopped, unreadable_in_a_row: AtomicU32::new(0) }
    }

    /// The same with what is known about the endpoint.
    #[must_use]
    pub fn with_probe(self, probe: Probe) -> Self {
        *lock(&self.probe) = probe;
        self
    }

    /// The same with other waits between attempts, and another longest time.
    #[must_use]
    pub fn with_patience(mut self, backoff: Backoff, timeout: Duration) -> Self {
        (self.backoff, self.http) = (backoff, Http::new(timeout));
        self
    }

    /// The endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What the endpoint is known to support.
    #[must_use]
    pub fn probe(&self) -> Probe {
        *lock(&self.probe)
    }

    /// The key of a call, by what the endpoint is known to support.
    #[must_use]
    pub fn key(&self, prompt: &Prompt) -> CallKey {
        let probe = self.probe();
        let samples = self.samples(&probe, prompt.form());
        self.key_by(&probe, prompt, if samples > 1 { samples } else { 0 })
    }

    /// The key of a call in which so many samples are drawn; none for the likeliest answer alone.
    fn key_by(&self, probe: &Probe, prompt: &Prompt, samples: u32) -> CallKey {
        // The keys of a JSON object are in order.
        let mut parts =
            vec![self.endpoint.base_url.clone(), probe.request(&self.endpoint.model, prompt, 0).to_string()];
        if samples > 0 {
            parts.push(samples.to_string());
        }
        CallKey(hash(&parts))
    }

    /// Asks a question.
    ///
    /// # Errors
    /// As the budget says, before anything is sent; otherwise as the endpoint says, after all that can be done about it.
    pub async fn ask(&self, prompt: &Prompt, budget: &impl Budget) -> Result<Answered, Error> {
        self.ask_counted(prompt, budget).await.1
    }

    /// The same, with what all attempts have used, even if they failed.
    pub async fn ask_counted(
        &self,
        prompt: &Prompt,
        budget: &impl Budget,
    ) -> (Usage, Result<Answered, Error>) {
        let mut usage = Usage::default();
        let answer = self.answer(prompt, budget, &mut usage).await;
        (usage, answer)
    }

    /// Stops asking: requests under way are completed.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether asking was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// How often a question is asked: several times where the operator wants it and the model states no probability.
    fn samples(&self, probe: &Probe, form: Form) -> u32 {
        if form == Form::YesNo && !probe.states_probabilities() { self.endpoint.samples } else { 1 }
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        budget: &impl Budget,
        usage: &mut Usage,
    ) -> Result<Answered, Error> {
        if self.samples(&self.probe(), prompt.form()) > 1 {
            return self.sample(prompt, budget, usage, None).await;
        }
        let first = self.attempts(prompt, 0, budget, usage).await?;
        // Only now it may be known that the model states no probabilities.
        if self.samples(&self.probe(), prompt.form()) > 1 && first.yes.is_none() {
            return self.sample(prompt, budget, usage, Some(first)).await;
        }
        Ok(first)
    }

    /// Asks a yes/no question several times and takes the share of yes as its probability.
    ///
    /// All of them are drawn at the model's own temperature: its likeliest answer among them would count for more than one. That answer, if it is known
    /// already, stands where the budget is not enough for a sample.
    async fn sample(
        &self,
        prompt: &Prompt,
        budget: &impl Budget,
        usage: &mut Usage,
        likeliest: Option<Answered>,
    ) -> Result<Answered, Error> {
        let started = Instant::now();
        let (mut no, mut yes, mut drawn, mut last) = (0_u32, 0_u32, 0_u32, likeliest);
        for sample in 0..self.endpoint.samples {
            let first = 1 + sample * (MOST_UNREADABLE + 1);
            match self.attempts(prompt, first, budget, usage).await {
                Ok(answered) => {
                    yes += u32::from(answered.reply == Reply::Yes);
                    no += u32::from(answered.reply == Reply::No);
                    drawn += 1;
                    last = Some(answered);
                }
                // Those that came before it are an answer all the same, and were paid for.
                Err(Error::OverBudget(_)) if last.is_some() => break,
                Err(error) => return Err(error),
            }
        }
        let mut answered = last.ok_or_else(|| self.unreadable("nothing was asked"))?;
        if drawn == 0 {
            return Ok(answered);
        }
        // Fewer samples must not stand for the answer where more are wanted.
        answered.call = self.key_by(&self.probe(), prompt, drawn);
        if yes + no > 0 {
            // Half an answer each way, so that five times yes is not certainty.
            let share = (f64::from(yes) + 0.5) / (f64::from(yes + no) + 1.0);
            answered.reply = if share >= 0.5 { Reply::Yes } else { Reply::No };
            answered.yes = Some(share);
        }
        answered.mode = "samples";
        answered.milliseconds = milliseconds(started);
        Ok(answered)
    }

    /// Asks once, and again where that helps. `sample` counts from 0, the likeliest answer; others are drawn.
    async fn attempts(
        &self,
        prompt: &Prompt,
        sample: u32,
        budget: &impl Budget,
        usage: &mut Usage,
    ) -> Result<Answered, Error> {
        let started = Instant::now();
        let (mut attempt, mut refusals, mut unreadable) = (1, 0, 0);
        // What this question has found out. It is remembered once there is an answer: a question may also be refused for what it asks.
        let mut found = Probe::default();
        loop {
            let probe = self.probe().and(found);
            let error = match self.send(&probe, prompt, sample + unreadable, budget, usage).await {
                Ok(answer) => {
                    found = probe.after_answer(&answer, prompt.form());
                    self.remember(found);
                    let answered = |reply, yes| {
                        self.answered(&answer, &probe, &found, prompt, reply, yes, *usage, started)
                    };
                    match heard(prompt, &answer) {
                        Some(Heard { reply: Some(reply), yes, is_readable, .. }) => {
                            self.note(is_readable)?;
                            return Ok(answered(reply, yes));
                        }
                        Some(_) if unreadable >= MOST_UNREADABLE => {
                            self.note(false)?;
                            return Ok(answered(Reply::CantSay, None));
                        }
                        Some(_) => {
                            unreadable += 1;
                            continue;
                        }
                        None => self.unreadable("it is not an answer of a chat endpoint"),
                    }
                }
                Err(Error::Refused { status: 400 | 422, reason, .. }) if refusals < MOST_REFUSALS => {
                    refusals += 1;
                    match probe.after_refusal(&reason, prompt.form()) {
                        Some(next) => {
                            tracing::info!(
                                model = self.endpoint.name,
                                reason,
                                "the model is asked in another way"
                            );
                            found = next;
                            continue;
                        }
                        None => self.refused(reason),
                    }
                }
                Err(error) => error,
            };
            match self.backoff.after(attempt, &error, jitter()) {
                Outcome::Retry(wait) => tokio::time::sleep(wait).await,
                Outcome::GiveUp => return Err(error),
            }
            attempt += 1;
        }
    }

    fn remember(&self, found: Probe) {
        let mut probe = lock(&self.probe);
        *probe = probe.and(found);
    }

    /// Notes whether a question ended with words that could be read as an answer.
    fn note(&self, is_readable: bool) -> Result<(), Error> {
        if is_readable {
            self.unreadable_in_a_row.store(0, Ordering::Relaxed);
        } else if self.unreadable_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_IN_A_ROW {
            return Err(self.unreadable(
                "none of its last answers is one of the words or letters that were asked for; if the model thinks before it answers, turn that off \
                 at the endpoint",
            ));
        }
        Ok(())
    }

    /// Sends one request within the budget.
    async fn send(
        &self,
        probe: &Probe,
        prompt: &Prompt,
        sample: u32,
        budget: &impl Budget,
        usage: &mut Usage,
    ) -> Result<Value, Error> {
        let body = probe.request(&self.endpoint.model, prompt, sample);
        let most = Usage::most(prompt.bytes(), probe.most_tokens(prompt));
        let in_all = usage.plus(most);
        budget.reserve(in_all, in_all.cost(self.endpoint.price)).await?;
        let url = format!("{}/chat/completions", self.endpoint.base_url);
        let key = self.endpoint.key.as_ref().map(|key| ("Bearer", key));
        let who = self.who();
        let answer = self.http.send(&who, Method::POST, &url, key, Some(&body)).await;
        let answer = answer.and_then(|answer| answer.json(&who));
        let used = match &answer {
            // All of it where the endpoint does not say, or nothing that can be believed, since it may have been used.
            Ok(json) => usage_of(json).unwrap_or(most),
            // A clear refusal costs nothing; a request that failed otherwise may have been computed nevertheless.
            Err(error) if error.is_uncertain() => most,
            Err(_) => Usage::default(),
        };
        *usage = usage.plus(used);
        answer
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one record, in one place")]
    fn answered(
        &self,
        answer: &Value,
        probe: &Probe,
        found: &Probe,
        prompt: &Prompt,
        reply: Reply<u32>,
        yes: Option<f64>,
        usage: Usage,
        started: Instant,
    ) -> Answered {
        let model = answer.get("model").and_then(Value::as_str).unwrap_or(&self.endpoint.model);
        Answered {
            reply,
            yes,
            model: model.chars().take(200).collect(),
            mode: probe.mode(prompt.form()),
            prompt: prompt.hash(),
            call: self.key_by(found, prompt, 0),
            usage,
            cost: usage.cost(self.endpoint.price),
            milliseconds: milliseconds(started),
        }
    }

    /// What tells endpoints apart: the address and the model, as a hash.
    #[must_use]
    pub fn endpoint_key(&self) -> String {
        hash(&[self.endpoint.base_url.clone(), self.endpoint.model.clone()])
    }

    fn who(&self) -> String {
        format!("the model {:?}", self.endpoint.name)
    }

    fn unreadable(&self, problem: &str) -> Error {
        Error::Unreadable { who: self.who(), problem: problem.to_owned() }
    }

    fn refused(&self, reason: String) -> Error {
        Error::Refused { who: self.who(), status: 400, reason, retry_after: None }
    }
}

fn hash(parts: &[String]) -> String {
    // Neither addresses nor names nor JSON contain the separator.
    Sha256::digest(parts.join("\0").as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What an endpoint reports, which may be more than was expected of it.
fn usage_of(answer: &Value) -> Option<Usage> {
    let usage = answer.get("usage")?;
    let count =
        |name: &str| usage.get(name).and_then(Value::as_u64).filter(|tokens| *tokens <= MOST_PLAUSIBLE);
    Some(Usage { input: count("prompt_tokens")?, output: count("completion_tokens")? })
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A lock that is held for a few instructions only. A panic within them cannot leave half a change behind.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
