//! A language model that is a script: it knows a hierarchy, errs more the deeper a concept is, and misbehaves on demand.

use std::collections::BTreeMap;
use std::net::SocketAddr;
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
}

/// What the model knows and how it errs.
#[derive(Clone, Debug)]
pub struct ModelScript {
    /// The concept that each concept is directly under.
    pub parents: BTreeMap<String, String>,
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
}

impl ScriptedModel {
    /// Starts one.
    ///
    /// # Errors
    /// Errors from the network.
    pub async fn start(script: ModelScript) -> std::io::Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { script: Mutex::new(script), counts: Mutex::default() });
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

impl ModelScript {
    fn depth(&self, concept: &str) -> u32 {
        let mut depth = 0;
        let mut at = concept;
        while let Some(parent) = self.parents.get(at) {
            (depth, at) = (depth + 1, parent);
            if depth > 1_000 {
                break;
            }
        }
        depth
    }

    fn is_above(&self, upper: &str, lower: &str) -> bool {
        let mut at = lower;
        for _ in 0..1_000 {
            match self.parents.get(at) {
                Some(parent) if parent == upper => return true,
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    }

    /// P(yes) as the model says it.
    #[must_use]
    pub fn yes(&self, upper: &str, lower: &str) -> f64 {
        let deepest = self.parents.keys().map(|name| self.depth(name)).max().unwrap_or(0).max(1);
        let share = f64::from(self.depth(lower)) / f64::from(deepest);
        let error = self.top_error + (self.leaf_error - self.top_error) * share;
        let draw = uniform(&format!("{}|{upper}|{lower}", self.seed));
        let says_yes = self.is_above(upper, lower) != (draw < error);
        // It knows how often it errs, and then exaggerates.
        let sure = (1.0 - error).clamp(1e-6, 1.0 - 1e-6);
        let logit = (sure / (1.0 - sure)).ln() * self.temperature;
        let p = 1.0 / (1.0 + (-logit).exp());
        if says_yes { p } else { 1.0 - p }
    }

    /// The two concepts of "Is a LOWER a kind of UPPER?", found by their names: the first that the question begins with, the longest.
    fn concepts(&self, question: &str) -> Option<(String, String)> {
        let question = question.to_lowercase();
        let mut names: Vec<&String> = self.parents.keys().chain(self.parents.values()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        let mut found: Vec<(usize, usize, &String)> = Vec::new();
        for name in names {
            let lower = name.to_lowercase();
            let mut from = 0;
            while let Some(at) = question[from..].find(&lower) {
                let (start, end) = (from + at, from + at + lower.len());
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
        match found.as_slice() {
            [(.., lower), .., (.., upper)] => Some(((*upper).clone(), (*lower).clone())),
            _ => None,
        }
    }
}

/// A number between 0 and 1 that depends on a text alone (FNV-1a, then the finisher of SplitMix64).
fn uniform(text: &str) -> f64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((hash ^ (hash >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
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
        ModelFault::Slow(milliseconds) => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
        _ => {}
    }
    let question =
        body.get("messages").and_then(Value::as_array).and_then(|all| all.last()?.get("content")?.as_str());
    let question = question.unwrap_or_default();
    let first_line = question.lines().next().unwrap_or_default();
    let Some((upper, lower)) = script.concepts(first_line) else {
        return error(400, "I know no such concepts");
    };
    lock(&shared.counts).1 += 1;
    answer(&script, &body, question, script.yes(&upper, &lower))
}

fn answer(script: &ModelScript, body: &Value, question: &str, yes: f64) -> Response {
    let word = match script.fault {
        ModelFault::OddWords => "Well",
        _ if yes >= 0.5 => "Yes",
        _ => "No",
    };
    let content = if body.get("response_format").is_some() {
        json!({"answer": word}).to_string()
    } else {
        word.to_owned()
    };
    let logprobs = if body.get("logprobs").is_some() {
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
        json!({"content": [{"token": word, "logprob": -0.1, "top_logprobs": top}]})
    } else {
        Value::Null
    };
    let prompt_tokens = question.len() / 4 + 40;
    let json = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "scripted-1", "system_fingerprint": "fp_script",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "logprobs": logprobs, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 2, "total_tokens": prompt_tokens + 2},
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
        let pair = |upper: &str, lower: &str| Some((upper.to_owned(), lower.to_owned()));
        assert_eq!(found("Is a lime a kind of citrus fruit?"), pair("citrus fruit", "lime"));
        assert_eq!(found("Is citrus fruit a kind of fruit?"), pair("fruit", "citrus fruit"));
        assert_eq!(found("Is a limerick a kind of poem?"), None);
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
