use grove_vocabulary::{Form, Reply};
use serde_json::Value;

use super::prompt::{Prompt, normalised};

/// A model's answer, as understood.
#[derive(Clone, PartialEq, Debug)]
pub struct Heard {
    /// The reply, if the answer is one.
    pub reply: Option<Reply<u32>>,
    /// P(yes) of a yes/no question, given that the model says yes or no, if it states probabilities.
    pub yes: Option<f64>,
    /// Whether its words are an answer, even one that does not know.
    pub is_readable: bool,
    /// The model's answer as text.
    pub text: String,
}

/// A model that puts more than this on words that are neither yes nor no has not answered.
const MOST_ELSEWHERE: f64 = 0.5;

/// Reads the response of a chat endpoint; `None` if it does not have the expected shape.
#[must_use]
pub fn heard(prompt: &Prompt, answer: &Value) -> Option<Heard> {
    let choice = answer.get("choices")?.get(0)?;
    let text = choice.get("message")?.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let words = structured(&text).unwrap_or_else(|| text.clone());
    let mut reply = prompt.read(&words);
    let is_readable = reply.is_some();
    let mut yes = None;
    if prompt.form() == Form::YesNo
        && let Some((p, elsewhere)) = yes_no_mass(choice)
    {
        if elsewhere > MOST_ELSEWHERE {
            reply = Some(Reply::CantSay);
        } else {
            yes = Some(p);
            // The words may be one sample of a soft answer; the mass says more.
            reply = Some(if p >= 0.5 { Reply::Yes } else { Reply::No });
        }
    }
    Some(Heard { reply, yes, is_readable, text })
}

/// The answer within `{"answer": "..."}`.
fn structured(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("```json").trim_matches('`').trim();
    let json: Value = serde_json::from_str(text).ok()?;
    json.get("answer")?.as_str().map(str::to_owned)
}

/// P(yes | yes or no), and the mass of everything else, from the probabilities of the first word. Tokens are compared without case, spaces and marks
/// of tokenizers; several of them may mean the same.
fn yes_no_mass(choice: &Value) -> Option<(f64, f64)> {
    let tokens = choice.get("logprobs")?.get("content")?.as_array()?;
    // Some servers put an empty or a control token first.
    let first = tokens.iter().find(|token| {
        let word = token.get("token").and_then(Value::as_str).unwrap_or_default();
        !normalised(word).is_empty() && !word.starts_with("<|")
    })?;
    let top = first.get("top_logprobs")?.as_array()?;
    let (mut yes, mut no, mut all) = (0.0, 0.0, 0.0);
    for candidate in top {
        let logprob = candidate.get("logprob")?.as_f64()?;
        if !logprob.is_finite() || logprob > 1e-3 {
            continue;
        }
        let p = logprob.exp();
        all += p;
        match normalised(candidate.get("token")?.as_str()?).as_str() {
            "yes" | "y" | "true" => yes += p,
            "no" | "n" | "false" => no += p,
            _ => {}
        }
    }
    let both = yes + no;
    // Without either among the likeliest words, the model talks about something else.
    if both <= 1e-9 {
        return (all > 0.0).then_some((0.5, 1.0));
    }
    Some((yes / both, (1.0 - both).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::prompt::lime as prompt;
    use serde_json::json;

    fn answer(text: &str, first: &str, top: &[(&str, f64)]) -> Value {
        let top: Vec<Value> =
            top.iter().map(|(token, p)| json!({"token": token, "logprob": p.ln()})).collect();
        json!({"choices": [{"message": {"content": text}, "logprobs": {"content": [{"token": first, "top_logprobs": top}]}}]})
    }

    #[test]
    fn the_mass_of_all_spellings_counts() {
        let top =
            [("Yes", 0.5), (" yes", 0.2), ("\u{2581}YES", 0.05), ("No", 0.15), (" no", 0.05), ("Well", 0.05)];
        let heard = heard(&prompt(), &answer("No", "No", &top)).unwrap();
        assert!((heard.yes.unwrap() - 0.75 / 0.95).abs() < 1e-12);
        assert_eq!(heard.reply, Some(Reply::Yes));
    }

    #[test]
    fn a_model_that_talks_about_something_else_abstains() {
        let heard = |top: &[(&str, f64)]| heard(&prompt(), &answer("Well", "Well", top)).unwrap();
        let vague = heard(&[("Well", 0.7), ("Yes", 0.1), ("It", 0.2)]);
        assert_eq!((vague.reply, vague.yes), (Some(Reply::CantSay), None));
        let lost = heard(&[("Well", 0.9), ("Hmm", 0.1)]);
        assert_eq!((lost.reply, lost.yes), (Some(Reply::CantSay), None));
    }

    #[test]
    fn answers_without_probabilities_are_read_by_their_words() {
        let read =
            |content: Value| heard(&prompt(), &json!({"choices": [{"message": {"content": content}}]}));
        let plain = read(json!("Yes.")).unwrap();
        assert_eq!((plain.reply, plain.yes), (Some(Reply::Yes), None));
        assert_eq!(read(json!(r#"{"answer": "no"}"#)).unwrap().reply, Some(Reply::No));
        assert_eq!(read(json!("```json\n{\"answer\":\"Yes\"}\n```")).unwrap().reply, Some(Reply::Yes));
        assert_eq!(read(json!("perhaps")).unwrap().reply, None);
        assert_eq!(read(json!(null)).unwrap().reply, None);
        assert_eq!(heard(&prompt(), &json!({"choices": []})), None);
        assert_eq!(heard(&prompt(), &json!({"error": "x"})), None);
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let top = json!([{"token": "Yes", "logprob": -9999.0}, {"token": "No", "logprob": 5.0}, {"token": "No", "logprob": -0.1}]);
        let odd = json!({"choices": [{"message": {"content": "No"}, "logprobs": {"content": [{"token": "No", "top_logprobs": top}]}}]});
        let heard = heard(&prompt(), &odd).unwrap();
        assert_eq!(heard.reply, Some(Reply::No));
        assert!(heard.yes.unwrap() < 1e-6);
    }
}
