//! People who open the link of a study and answer.

use crate::browser::{Browser, Page};
use crate::truth::{Erring, Truth};

/// Somebody's place in a study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The link, with the person's parameters.
    pub url: String,
    /// The submission.
    pub submission: String,
    /// The person.
    pub participant: String,
    /// The study.
    pub study: String,
}

/// What somebody does with the form of a question.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filled {
    /// The values of the boxes that they tick.
    pub ticked: Vec<String>,
    /// What they type.
    pub typed: String,
    /// The value of the button that they press.
    pub pressed: String,
}

impl From<&str> for Filled {
    /// A button, and nothing else.
    fn from(pressed: &str) -> Self {
        Self { pressed: pressed.to_owned(), ..Self::default() }
    }
}

/// The answers of a person.
pub trait Answerer: Send + Sync {
    /// What they do, by the names in the question and by its buttons and boxes (value and text).
    fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> Filled;
}

/// People who know a hierarchy and err now and then, each in their own way. They answer questions of all forms.
#[derive(Clone, PartialEq, Debug)]
pub struct Informed {
    /// What they know.
    pub truth: Truth,
    /// How often they err.
    pub error_rate: f64,
}

impl Answerer for Informed {
    fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> Filled {
        let (truth, erring) = (&self.truth, Erring { who: person, rate: self.error_rate });
        let has = |value: &str| choices.iter().any(|(known, _)| known == value);
        // The values of options are numbers of concepts; those of other buttons are words.
        let is_option = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
        let options = choices.iter().filter(|(value, _)| is_option(value)).cloned();
        let (values, options): (Vec<String>, Vec<String>) = options.unzip();
        let names = question.names();
        match names.as_slice() {
            names if !names.iter().all(|name| truth.knows(name)) => "cant_say".into(),
            [lower, upper] if has("yes") => {
                if truth.says_yes(erring, upper, lower) { "yes" } else { "no" }.into()
            }
            [upper] if has("ticked") => {
                let ticked = truth.tick(|_| erring, upper, &options);
                let ticked: Vec<String> = ticked.into_iter().map(|at| values[at].clone()).collect();
                let pressed = if ticked.is_empty() { "none" } else { "ticked" };
                Filled { ticked, ..pressed.into() }
            }
            [lower] if has("under") => match truth.place(erring, lower) {
                Some(typed) => Filled { typed, ..Filled::from("under") },
                None => "top".into(),
            },
            [lower] if has("none") => {
                truth.pick(erring, lower, &options).map_or("none", |at| values[at].as_str()).into()
            }
            _ => "cant_say".into(),
        }
    }
}

/// Somebody who takes part.
pub struct Participant {
    visit: Visit,
    browser: Browser,
}

/// The most questions that anybody answers.
const MOST_QUESTIONS: u32 = 2_000;

impl Participant {
    /// Somebody with a place.
    #[must_use]
    pub fn new(visit: Visit) -> Self {
        Self { visit, browser: Browser::default() }
    }

    /// Opens the link and answers until the panel's page is reached; returns the code that it was given.
    ///
    /// # Errors
    /// A description of what stopped them.
    pub async fn answer(mut self, answerer: &dyn Answerer) -> Result<String, String> {
        let mut page = self.browser.open(&self.visit.url).await?;
        for _ in 0..MOST_QUESTIONS {
            if page.status == 0 {
                return code_of(&page.url).ok_or_else(|| format!("{} has no code", page.url));
            }
            if page.status != 200 {
                return Err(format!("{} answers {}: {}", page.url, page.status, page.question()));
            }
            page = self.step(&page, answerer).await?;
        }
        Err("the questions do not end".to_owned())
    }

    async fn step(&mut self, page: &Page, answerer: &dyn Answerer) -> Result<Page, String> {
        if let Some(start) = page.form("/start") {
            return self.browser.post(page, &start.action, &start.hidden).await;
        }
        let Some(form) = page.form("/vote") else {
            return Err(format!("{} has no question: {}", page.url, page.question()));
        };
        let choices: Vec<(String, String)> =
            form.choices.iter().map(|(_, value, text)| (value.clone(), text.clone())).collect();
        let Filled { ticked, typed, pressed } = answerer.answer(&self.visit.participant, page, &choices);
        let mut fields = form.hidden.clone();
        fields.extend(form.typed.iter().map(|name| (name.clone(), typed.clone())));
        for chosen in ticked.iter().chain([&pressed]) {
            let choice = form.choices.iter().find(|(_, value, _)| value == chosen);
            let (name, value, _) = choice.ok_or_else(|| format!("{chosen:?} is no choice"))?;
            fields.push((name.clone(), value.clone()));
        }
        self.browser.post(page, &form.action, &fields).await
    }
}

fn code_of(url: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    query.split('&').find_map(|pair| pair.strip_prefix("cc=")).map(str::to_owned)
}
