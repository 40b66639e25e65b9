//! A language model that is a script: it knows a hierarchy, errs more the deeper a concept is, and misbehaves on demand.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use crate::truth::{Erring, Truth};

/// How the model misbehaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelFault {
    /// Not at all.
    None,
    /// Refuses probabilities with 400.
    NoLogprobs,
    /// Refuses everything but model and messages, one parameter at a time.
    OnlyPlain,
    /// Answers every second request with 429.
    Busy,
    /// Answers every second request with half a JSON object.
    Broken,
    /// Gives words that are no answer.
    OddWords,
    /// Answers after so many milliseconds.
    Slow(u64),
    /// Answers every request with 500.
    Gone,
    /// Takes requests for probabilities, and states none.
    SilentLogprobs,
    /// Reports so many tokens for every prompt.
    Reports(u64),
}

/// What the model knows and how it errs.
#[derive(Clone, Debug)]
pub struct ModelScript {
    /// What it knows.
    pub parents: Truth,
    /// How often it errs about concepts at the top.
    pub top_error: f64,
    /// How often it errs about the deepest concepts.
    pub leaf_error: f64,
    /// How overconfident it is: the logits of its probabilities are multiplied by this.
    pub temperature: f64,
    /// The key that it wants, if any.
    pub key: Option<String>,
    /// How it misbehaves.
    pub fault: ModelFault,
    /// Its errors depend on this and on the question alone: asked again, it says the same.
    pub seed: u64,
}

/// The model behind an endpoint, until it is dropped.
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    script: Mutex<ModelScript>,
    /// Requests that came, and those that were answered.
    counts: Mutex<(u64, u64)>,
    /// Tokens of the questions that were answered, also where the answer did not arrive.
    tokens: AtomicU64,
}

impl ScriptedModel {
    /// Starts one.
    ///
    /// # Errors
    /// Errors from the network.
    pub async fn start(script: ModelScript) -> std::io::Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            counts: Mutex::default(),
            tokens: AtomicU64::new(0),
        });
        let router = Router::new().route("/v1/chat/completions", post(complete)).with_state(shared.clone());
        let task = tokio::spawn(async move {
            // Ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, shared, task: task.abort_handle() })
    }

    /// The address up to `/chat/completions`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How many requests came, and how many were answered.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        *lock(&self.shared.counts)
    }

    /// How many tokens it would charge for.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.shared.tokens.load(Ordering::Relaxed)
    }

    /// Changes the script while it runs.
    pub fn change(&self, change: impl FnOnce(&mut ModelScript)) {
        change(&mut lock(&self.shared.script));
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A question in one of the forms, by the names of its concepts.
enum Asked {
    YesNo { upper: String, lower: String },
    Pick { lower: String, options: Vec<String> },
    Tick { upper: String, options: Vec<String> },
    Place { lower: String },
}

impl ModelScript {
    /// How often it errs about a concept.
    fn error(&self, lower: &str) -> f64 {
        let share = self.parents.depth(lower) as f64 / self.parents.deepest().max(1) as f64;
        self.top_error + (self.leaf_error - self.top_error) * share
    }

    /// P(yes) as the model says it.
    #[must_use]
    pub fn yes(&self, upper: &str, lower: &str) -> f64 {
        let error = self.error(lower);
        let says_yes =
            self.parents.says_yes(Erring { who: &self.seed.to_string(), rate: error }, upper, lower);
        // It knows how often it errs, and then exaggerates.
        let sure = (1.0 - error).clamp(1e-6, 1.0 - 1e-6);
        let logit = (sure / (1.0 - sure)).ln() * self.temperature;
        let p = 1.0 / (1.0 + (-logit).exp());
        if says_yes { p } else { 1.0 - p }
    }

    /// What it answers to a question that has other answers than yes and no.
    fn words(&self, asked: &Asked) -> String {
        let seed = self.seed.to_string();
        let erring = |lower: &str| Erring { who: &seed, rate: self.error(lower) };
        let letter = |at: usize| char::from(b'A' + at as u8).to_string();
        match asked {
            Asked::YesNo { upper, lower } => {
                if self.yes(upper, lower) >= 0.5 { "Yes" } else { "No" }.to_owned()
            }
            Asked::Pick { lower, options } => {
                self.parents.pick(erring(lower), lower, options).map_or("None".to_owned(), letter)
            }
            Asked::Tick { upper, options } => {
                let ticked: Vec<String> =
                    self.parents.tick(erring, upper, options).into_iter().map(letter).collect();
                if ticked.is_empty() { "None".to_owned() } else { ticked.join(", ") }
            }
            Asked::Place { lower } => self.parents.place(erring(lower), lower).unwrap_or("Top".to_owned()),
        }
    }

    /// What a prompt asks. Options have letters, the places for a concept are a list, and what the model is told about its task says whether it may
    /// choose several options.
    fn asked(&self, task: &str, question: &str) -> Option<Asked> {
        let mut lines = question.lines();
        let names = self.concepts(lines.next().unwrap_or_default());
        let option = |line: &str| {
            let (letter, name) = line.split_once(". ")?;
            (letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_uppercase()))
                .then(|| name.to_owned())
        };
        let rest: Vec<&str> = lines.collect();
        let options: Vec<String> = rest.iter().map_while(|line| option(line)).collect();
        match names.as_slice() {
            [only, ..] if rest.first() == Some(&"Concepts:") => Some(Asked::Place { lower: only.clone() }),
            [only, ..] if !options.is_empty() && task.contains("all options") => {
                Some(Asked::Tick { upper: only.clone(), options })
            }
            [only, ..] if !options.is_empty() => Some(Asked::Pick { lower: only.clone(), options }),
            [lower, .., upper] => Some(Asked::YesNo { upper: upper.clone(), lower: lower.clone() }),
            _ => None,
        }
    }

    /// The concepts that a question names, in their order. Where one name is part of another, the longer one is meant.
    fn concepts(&self, question: &str) -> Vec<String> {
        let question = question.to_lowercase();
        let mut names: Vec<&String> = self.parents.names().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        let mut found: Vec<(usize, usize, &String)> = Vec::new();
        for name in names {
            let mut from = 0;
            while let Some(at) = question[from..].find(name.as_str()) {
                let (start, end) = (from + at, from + at + name.len());
                let is_word = |at: Option<char>| at.is_none_or(|letter| !letter.is_alphanumeric());
                let whole =
                    is_word(question[..start].chars().next_back()) && is_word(question[end..].chars().next());
                if whole && !found.iter().any(|(first, last, _)| start < *last && *first < end) {
                    found.push((start, end, name));
                }
                from = end;
            }
        }
        found.sort();
        found.into_iter().map(|(.., name)| name.clone()).collect()
    }
}

async fn complete(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let script = lock(&shared.script).clone();
    let number = {
        let mut counts = lock(&shared.counts);
        counts.0 += 1;
        counts.0
    };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if script.key.as_ref().is_some_and(|key| given != format!("Bearer {key}")) {
        // Like some servers, it repeats what it got.
        return error(401, &format!("Incorrect API key provided: {given}"));
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    match script.fault {
        ModelFault::Gone => return error(500, "the server had an error"),
        ModelFault::Busy if number % 2 == 1 => {
            let mut response = error(429, "Rate limit reached");
            response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("0"));
            return response;
        }
        ModelFault::Broken if number % 2 == 1 => {
            return (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], "{\"choices\":[{\"mess")
                .into_response();
        }
        ModelFault::NoLogprobs if body.get("logprobs").is_some() => {
            return error(400, "logprobs are not supported by this model");
        }
        ModelFault::OnlyPlain => {
            let known = ["model", "messages"];
            let extra =
                body.as_object().into_iter().flatten().find(|(name, _)| !known.contains(&name.as_str()));
            if let Some((name, _)) = extra {
                return error(400, &format!("Unsupported parameter: '{name}'"));
            }
        }
        _ => {}
    }
    let messages: Vec<&str> = body
        .get("messages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("content")?.as_str())
        .collect();
    let (task, question) = match messages.as_slice() {
        [task, .., question] => (*task, *question),
        all => ("", all.first().copied().unwrap_or_default()),
    };
    let Some(asked) = script.asked(task, question) else {
        return error(400, "I know no such concepts");
    };
    lock(&shared.counts).1 += 1;
    shared.tokens.fetch_add((prompt_tokens(question) + ANSWER_TOKENS) as u64, Ordering::Relaxed);
    if let ModelFault::Slow(milliseconds) = script.fault {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
    answer(&script, &body, question, &asked)
}

/// The tokens of an answer.
const ANSWER_TOKENS: usize = 2;

fn prompt_tokens(question: &str) -> usize {
    question.len() / 4 + 40
}

fn answer(script: &ModelScript, body: &Value, question: &str, asked: &Asked) -> Response {
    let words = if script.fault == ModelFault::OddWords { "Well".to_owned() } else { script.words(asked) };
    let content = if body.get("response_format").is_some() {
        json!({"answer": words}).to_string()
    } else {
        words.clone()
    };
    let wanted = body.get("logprobs").filter(|_| script.fault != ModelFault::SilentLogprobs);
    let logprobs = if let (Asked::YesNo { upper, lower }, Some(_)) = (asked, wanted) {
        let yes = script.yes(upper, lower);
        let rest = if script.fault == ModelFault::OddWords { 0.9 } else { 0.02 };
        let top = [
            ("Yes", yes * 0.7),
            (" yes", yes * 0.3),
            ("No", (1.0 - yes) * 0.6),
            ("\u{2581}no", (1.0 - yes) * 0.4),
        ];
        let mut top: Vec<Value> = top
            .iter()
            .map(|(token, p)| json!({"token": token, "logprob": (p * (1.0 - rest)).max(1e-300).ln()}))
            .collect();
        top.push(json!({"token": "Well", "logprob": f64::ln(rest)}));
        json!({"content": [{"token": words, "logprob": -0.1, "top_logprobs": top}]})
    } else {
        Value::Null
    };
    let prompt_tokens = match script.fault {
        ModelFault::Reports(tokens) => tokens,
        _ => prompt_tokens(question) as u64,
    };
    let total = prompt_tokens.saturating_add(ANSWER_TOKENS as u64);
    let json = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "scripted-1", "system_fingerprint": "fp_script",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "logprobs": logprobs, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": ANSWER_TOKENS, "total_tokens": total},
    });
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response()
}

fn error(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = json!({"error": {"message": message, "type": "invalid_request_error", "code": null}});
    (status, [(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> ModelScript {
        let parents =
            [("fruit", "food"), ("citrus fruit", "fruit"), ("lime", "citrus fruit"), ("cheese", "food")];
        ModelScript {
            parents: parents.into_iter().map(|(lower, upper)| (lower.to_owned(), upper.to_owned())).collect(),
            top_error: 0.05,
            leaf_error: 0.25,
            temperature: 2.0,
            key: None,
            fault: ModelFault::None,
            seed: 3,
        }
    }

    #[test]
    fn finds_the_concepts_of_a_question() {
        let found = |question| script().concepts(question);
        assert_eq!(found("Is a Lime a kind of citrus fruit?"), ["lime", "citrus fruit"]);
        assert_eq!(found("Is citrus fruit a kind of fruit?"), ["citrus fruit", "fruit"]);
        assert!(found("Is a limerick a kind of poem?").is_empty());
    }

    #[test]
    fn answers_every_form_in_the_words_it_is_asked_for() {
        let sure = ModelScript { top_error: 0.0, leaf_error: 0.0, ..script() };
        let says = |task: &str, question: &str| sure.words(&sure.asked(task, question).unwrap());
        assert_eq!(says("Yes or No", "Is a lime a kind of fruit?"), "Yes");
        let options = "\nA. cheese\nB. fruit\nC. citrus fruit\n\nDefinitions:\n- lime: a fruit";
        assert_eq!(says("the most specific option", &format!("What is a lime a kind of?{options}")), "C");
        let options = "\nA. lime\nB. cheese\nC. citrus fruit";
        assert_eq!(
            says("the letters of all options", &format!("Which are kinds of fruit?{options}")),
            "A, C"
        );
        assert_eq!(says("the letters of all options", "Which are kinds of cheese?\nA. lime"), "None");
        assert_eq!(says("", "Where does lime belong?\nConcepts:\n- cheese\n- citrus fruit"), "citrus fruit");
        assert_eq!(says("", "Where does fruit belong?\nConcepts:\n- cheese"), "Top");
    }

    #[test]
    fn errs_as_often_as_it_should_and_says_the_same_again() {
        let (mut wrong, mut script) = (0, script());
        for seed in 0..4_000 {
            script.seed = seed;
            let yes = script.yes("citrus fruit", "lime");
            assert_eq!(yes, script.yes("citrus fruit", "lime"));
            wrong += u32::from(yes < 0.5);
        }
        // 1,000 expected, with a standard deviation of 27.
        assert!((880..1_120).contains(&wrong), "{wrong}");
        // Errors of .25 told with a temperature of 2: 3^2 to 1.
        assert!(
            (script.yes("citrus fruit", "lime").max(1.0 - script.yes("citrus fruit", "lime")) - 0.9).abs()
                < 1e-9
        );
    }
}
