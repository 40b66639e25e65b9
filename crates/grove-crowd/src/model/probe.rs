use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prompt::Prompt;
use grove_vocabulary::Form;

/// What a model's endpoint is known to support. It starts with everything and drops what is refused, so that a model
/// is asked in the best way it supports: token probabilities, then structured output, then plain text. As JSON it is kept between runs, so its names do
/// not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Probe {
    logprobs: bool,
    structured: bool,
    temperature: bool,
    seed: bool,
    most: MostTokens,
}

/// The field that limits the length of an answer, which has had two names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MostTokens {
    Unsupported,
    Plain,
    Completion,
}

impl Default for Probe {
    fn default() -> Self {
        Self { logprobs: true, structured: true, temperature: true, seed: true, most: MostTokens::Completion }
    }
}

impl Probe {
    /// What is supported by both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            logprobs: self.logprobs && other.logprobs,
            structured: self.structured && other.structured,
            temperature: self.temperature && other.temperature,
            seed: self.seed && other.seed,
            most: self.most.min(other.most),
        }
    }

    /// Whether yes/no questions are asked so that the answer has a probability.
    #[must_use]
    pub fn states_probabilities(&self) -> bool {
        self.logprobs
    }

    /// The way in which the model is asked, for provenance.
    #[must_use]
    pub fn mode(&self, form: Form) -> &'static str {
        match (self.logprobs && form == Form::YesNo, self.structured) {
            (true, _) => "logprobs",
            (false, true) => "structured",
            (false, false) => "plain",
        }
    }

    /// The body of a request. `sample` counts the samples of one question; the first is the likeliest answer, the others are drawn.
    #[must_use]
    pub fn request(&self, model: &str, prompt: &Prompt, sample: u32) -> Value {
        let mode = self.mode(prompt.form());
        let mut body = json!({
            "model": model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        });
        let most = if mode == "structured" { prompt.most_tokens + 24 } else { prompt.most_tokens };
        match self.most {
            MostTokens::Completion => body["max_completion_tokens"] = json!(most),
            MostTokens::Plain => body["max_tokens"] = json!(most),
            MostTokens::Unsupported => {}
        }
        if self.temperature {
            body["temperature"] = json!(if sample == 0 { 0 } else { 1 });
        }
        if self.seed {
            body["seed"] = json!(sample);
        }
        match mode {
            "logprobs" => {
                body["logprobs"] = json!(true);
                body["top_logprobs"] = json!(20);
            }
            "structured" => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {
                        "name": "answer", "strict": true,
                        "schema": {
                            "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"],
                            "additionalProperties": false,
                        },
                    },
                });
            }
            _ => {}
        }
        body
    }

    /// The most tokens that an answer to the request can have.
    #[must_use]
    pub fn most_tokens(&self, prompt: &Prompt) -> u32 {
        // Where no limit is accepted, models end by themselves; this is far more than such an answer has.
        if self.most == MostTokens::Unsupported { 4_096 } else { prompt.most_tokens + 24 }
    }

    /// What is left to try after a request was refused as bad, by the words of the refusal; `None` if nothing is.
    #[must_use]
    pub fn after_refusal(&self, reason: &str, form: Form) -> Option<Self> {
        let reason = reason.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| reason.contains(word));
        let mut next = *self;
        if names(&["logprob"]) && self.logprobs {
            next.logprobs = false;
        } else if names(&["response_format", "json_schema", "structured", "grammar"]) && self.structured {
            next.structured = false;
        } else if names(&["max_completion_tokens", "max_tokens", "max_output"])
            && self.most != MostTokens::Unsupported
        {
            next.most = match self.most {
                MostTokens::Completion => MostTokens::Plain,
                _ => MostTokens::Unsupported,
            };
        } else if names(&["temperature"]) && self.temperature {
            next.temperature = false;
        } else if names(&["seed"]) && self.seed {
            next.seed = false;
        } else if self.mode(form) == "logprobs" {
            // The refusal does not name the parameter: the least common ones are dropped first.
            next.logprobs = false;
        } else if self.mode(form) == "structured" {
            next.structured = false;
        } else if self.seed {
            next.seed = false;
        } else if self.most == MostTokens::Completion {
            next.most = MostTokens::Plain;
        } else if self.temperature {
            next.temperature = false;
        } else {
            return None;
        }
        Some(next)
    }

    /// What is known after an answer: one without the probabilities that were asked for means that there are none, unless it has no words either.
    #[must_use]
    pub fn after_answer(&self, answer: &Value, form: Form) -> Self {
        let choice = answer.get("choices").and_then(|choices| choices.get(0));
        let has = choice.and_then(|choice| choice.get("logprobs")?.get("content")?.as_array());
        let words = choice.and_then(|choice| choice.get("message")?.get("content")?.as_str());
        let has_words = words.is_some_and(|words| !words.trim().is_empty());
        let silent = self.mode(form) == "logprobs" && has_words && has.is_none_or(Vec::is_empty);
        Self { logprobs: self.logprobs && !silent, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::lime as prompt;

    #[test]
    fn gives_up_what_is_refused_and_remembers() {
        let probe = Probe::default();
        assert!(probe.request("m", &prompt(), 0).get("top_logprobs").is_some());
        let probe = probe.after_refusal("Unsupported parameter: 'top_logprobs'", Form::YesNo).unwrap();
        let body = probe.request("m", &prompt(), 0);
        assert!(body.get("logprobs").is_none() && body.get("response_format").is_some(), "{body}");
        let probe = probe.after_refusal("unknown field response_format", Form::YesNo).unwrap();
        let probe =
            probe.after_refusal("use max_tokens instead of max_completion_tokens", Form::YesNo).unwrap();
        let probe = probe.after_refusal("temperature must be 1", Form::YesNo).unwrap();
        let body = probe.request("m", &prompt(), 0);
        let mut fields: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["max_tokens", "messages", "model", "seed"]);
    }

    #[test]
    fn a_refusal_without_reason_ends_after_all_was_tried() {
        let (mut probe, mut tries) = (Probe::default(), 0);
        while let Some(next) = probe.after_refusal("bad request", Form::YesNo) {
            assert_ne!(next, probe);
            (probe, tries) = (next, tries + 1);
        }
        assert_eq!(tries, 5);
    }

    /// The words are in databases.
    #[test]
    fn what_is_known_is_kept_as_json() {
        let known = Probe { logprobs: false, most: MostTokens::Plain, ..Probe::default() };
        let json = json!({"logprobs": false, "structured": true, "temperature": true, "seed": true, "most": "plain"});
        assert_eq!(serde_json::to_value(known).unwrap(), json);
        assert_eq!(serde_json::from_value::<Probe>(json).unwrap(), known);
        assert_eq!(
            serde_json::from_value::<Probe>(json!({"logprobs": false})).unwrap().most,
            MostTokens::Completion
        );
        let other = Probe { seed: false, most: MostTokens::Unsupported, ..Probe::default() };
        assert_eq!(known.and(other), Probe { logprobs: false, ..other });
    }

    #[test]
    fn an_answer_without_probabilities_means_there_are_none() {
        let silent = json!({"choices": [{"message": {"content": "Yes"}, "logprobs": null}]});
        assert!(!Probe::default().after_answer(&silent, Form::YesNo).logprobs);
        let speaking = json!({"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": [{}]}}]});
        assert!(Probe::default().after_answer(&speaking, Form::YesNo).logprobs);
        let empty = json!({"choices": [{"message": {"content": ""}, "logprobs": null}]});
        assert!(Probe::default().after_answer(&empty, Form::YesNo).logprobs);
        // A pick does not ask for them.
        assert!(Probe::default().after_answer(&silent, Form::Pick).logprobs);
    }
}
