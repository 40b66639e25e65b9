//! People who open the link of a study and answer.

use crate::browser::{Browser, Page};

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

/// The answers of a person.
pub trait Answerer: Send + Sync {
    /// The value of the choice for a question, by the names in it and the choices that there are (value and text).
    fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> String;
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
        let value = answerer.answer(&self.visit.participant, page, &choices);
        let chosen = form.choices.iter().find(|(_, one, _)| *one == value);
        let (name, value, _) = chosen.ok_or_else(|| format!("{value:?} is no choice"))?;
        let mut fields = form.hidden.clone();
        fields.push((name.clone(), value.clone()));
        self.browser.post(page, &form.action, &fields).await
    }
}

fn code_of(url: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    query.split('&').find_map(|pair| pair.strip_prefix("cc=")).map(str::to_owned)
}
