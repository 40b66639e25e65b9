use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use grove_vocabulary::{Form, Reply};
use hyper::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Heard, Probe, Prompt, Spending, Usage, heard};
use crate::retry::jitter;
use crate::{Backoff, Endpoint, Error, Http, Outcome};

/// How long an answer may take: a model on a small machine has to read the prompt first.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How many parameters may be dropped for one question.
const MOST_REFUSALS: u32 = 8;
/// How often the same question is asked again if the response cannot be read as an answer.
const MOST_UNREADABLE: u32 = 2;
/// After so many questions in a row whose answers could not be read, the model is no longer asked: each of them costs money.
const MOST_IN_A_ROW: u32 = 20;

/// A model, asked one question at a time or several at once. It remembers what the endpoint supports.
pub struct ModelClient {
    http: Http,
    endpoint: Endpoint,
    backoff: Backoff,
    probe: Mutex<Probe>,
    spending: Mutex<Spending>,
    is_stopped: AtomicBool,
    /// How many questions in a row ended without an answer that could be read.
    unreadable_in_a_row: AtomicU32,
}

/// What makes two calls the same: base address, model, parameters and rendered prompt, as a hash. The answer to the same call is taken from the cache.
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
    /// What was used, over all attempts.
    pub usage: Usage,
    /// What it cost, in millionths of a cent.
    pub cost: u64,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

impl ModelClient {
    /// A client of an endpoint, with what may be and has been spent.
    #[must_use]
    pub fn new(endpoint: Endpoint, spending: Spending) -> Self {
        let http = Http::new(TIMEOUT);
        let (backoff, probe) = (Backoff::default(), Mutex::default());
        let is_stopped = AtomicBool::new(false);
        let spending = Mutex::new(spending);
        Self { http, endpoint, backoff, probe, spending, is_stopped, unreadable_in_a_row: AtomicU32::new(0) }
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

    /// What was spent.
    #[must_use]
    pub fn spending(&self) -> Spending {
        *lock(&self.spending)
    }

    /// The key of a call, by what the endpoint is known to support.
    #[must_use]
    pub fn key(&self, prompt: &Prompt) -> CallKey {
        let body = lock(&self.probe).request(&self.endpoint.model, prompt, 0);
        let mut hash = Sha256::new();
        hash.update(self.endpoint.base_url.as_bytes());
        hash.update([0]);
        // The keys of a JSON object are in order.
        hash.update(body.to_string().as_bytes());
        CallKey(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Asks a question.
    ///
    /// # Errors
    /// [`Error::OverBudget`] before anything is sent; otherwise as the endpoint says, after all that can be done about it.
    pub async fn ask(&self, prompt: &Prompt) -> Result<Answered, Error> {
        self.ask_counted(prompt).await.1
    }

    /// The same, with what all attempts have used, even if they failed.
    pub async fn ask_counted(&self, prompt: &Prompt) -> (Usage, Result<Answered, Error>) {
        let mut usage = Usage::default();
        let answer = self.attempts(prompt, &mut usage).await;
        (usage, answer)
    }

    /// The most that one attempt to ask a question can use.
    #[must_use]
    pub fn most_usage(&self, prompt: &Prompt) -> Usage {
        Usage::most(prompt.bytes(), lock(&self.probe).most_tokens(prompt))
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

    async fn attempts(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Answered, Error> {
        let started = Instant::now();
        let (mut attempt, mut refusals, mut unreadable) = (1, 0, 0);
        loop {
            let probe = *lock(&self.probe);
            let error = match self.send(&probe, prompt, unreadable, usage).await {
                Ok(answer) => {
                    *lock(&self.probe) = probe.after_answer(&answer, prompt.form());
                    match heard(prompt, &answer) {
                        Some(Heard { reply: Some(reply), yes, is_readable, .. }) => {
                            self.note(is_readable)?;
                            return Ok(self.answered(&answer, &probe, prompt, reply, yes, *usage, started));
                        }
                        Some(_) if unreadable >= MOST_UNREADABLE => {
                            self.note(false)?;
                            return Ok(self.answered(
                                &answer,
                                &probe,
                                prompt,
                                Reply::CantSay,
                                None,
                                *usage,
                                started,
                            ));
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
                            *lock(&self.probe) = next;
                            continue;
                        }
                        None => self.refused(reason),
                    }
                }
                Err(error @ Error::OverBudget(_)) => return Err(error),
                Err(error) => error,
            };
            match self.backoff.after(attempt, &error, jitter()) {
                Outcome::Retry(wait) => tokio::time::sleep(wait).await,
                Outcome::GiveUp => return Err(error),
            }
            attempt += 1;
        }
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

    /// Asks a yes/no question several times and takes the share of yes as its probability, for models that do not
    /// state one.
    ///
    /// # Errors
    /// As [`ModelClient::ask`].
    pub async fn sample(&self, prompt: &Prompt, samples: u32) -> Result<Answered, Error> {
        let mut first = self.ask(prompt).await?;
        if prompt.form() != Form::YesNo || first.yes.is_some() || samples < 2 {
            return Ok(first);
        }
        let started = Instant::now();
        let mut counts = [0_u32; 2];
        let mut count = |reply: &Reply<u32>| match reply {
            Reply::Yes => counts[1] += 1,
            Reply::No => counts[0] += 1,
            _ => {}
        };
        count(&first.reply);
        for sample in 1..samples {
            let probe = *lock(&self.probe);
            let answer = self.send(&probe, prompt, sample, &mut first.usage).await?;
            if let Some(Heard { reply: Some(reply), .. }) = heard(prompt, &answer) {
                count(&reply);
            }
        }
        let [no, yes] = counts;
        if yes + no > 0 {
            // Half an answer each way, so that five times yes is not certainty.
            let share = (f64::from(yes) + 0.5) / (f64::from(yes + no) + 1.0);
            first.reply = if share >= 0.5 { Reply::Yes } else { Reply::No };
            first.yes = Some(share);
        }
        first.mode = "samples";
        first.cost = first.usage.cost(self.endpoint.price);
        first.milliseconds += milliseconds(started);
        Ok(first)
    }

    /// Sends one request within the budget.
    async fn send(
        &self,
        probe: &Probe,
        prompt: &Prompt,
        sample: u32,
        usage: &mut Usage,
    ) -> Result<Value, Error> {
        let body = probe.request(&self.endpoint.model, prompt, sample);
        let most = Usage::most(prompt.bytes(), probe.most_tokens(prompt));
        let reservation = lock(&self.spending).reserve(most)?;
        let url = format!("{}/chat/completions", self.endpoint.base_url);
        let key = self.endpoint.key.as_ref().map(|key| ("Bearer", key));
        let who = self.who();
        let answer = self.http.send(&who, Method::POST, &url, key, Some(&body)).await;
        let answer = answer.and_then(|answer| answer.json(&who));
        let mut spending = lock(&self.spending);
        let used = match &answer {
            Ok(json) => spending.settle(reservation, usage_of(json)),
            // A clear refusal costs nothing; a request that failed otherwise may have been computed nevertheless.
            Err(error) if error.is_uncertain() => spending.settle(reservation, None),
            Err(_) => spending.settle(reservation, Some(Usage::default())),
        };
        *usage = usage.plus(used);
        answer
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one record, in one place")]
    fn answered(
        &self,
        answer: &Value,
        probe: &Probe,
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
            usage,
            cost: usage.cost(self.endpoint.price),
            milliseconds: milliseconds(started),
        }
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

fn usage_of(answer: &Value) -> Option<Usage> {
    let usage = answer.get("usage")?;
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    Some(Usage { input: count("prompt_tokens")?, output: count("completion_tokens")? })
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A lock that is held for a few instructions only. A panic within them cannot leave half a change behind.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
