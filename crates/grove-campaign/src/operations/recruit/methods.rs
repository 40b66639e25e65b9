//! What a paper says about how a hierarchy was made.

use std::fmt;

use grove_crowd::{Cents, PROMPT_VERSION};
use grove_formats::Hierarchy;
use tokio::task::JoinSet;

use super::super::models::is_model;
use super::super::{Access, ModelReport, Operation};
use super::PanelView;
use crate::Error;

/// The figures of the methods paragraph; it is printed as text.
#[derive(Clone, PartialEq, Debug)]
pub struct Methods {
    /// The people of each panel from which anybody has finished.
    pub panels: Vec<Recruited>,
    /// The votes that count.
    pub votes: u64,
    /// Those of language models.
    pub model_votes: u64,
    /// The models, as their endpoints call them.
    pub models: Vec<String>,
    /// The mean certainty of the hierarchy's edges; none before anything is believed.
    pub certainty: Option<f64>,
    /// Why some of the costs are not known.
    pub problems: Vec<String>,
}

/// The people of a panel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recruited {
    /// The panel, by the operator's name for its service, or by the owner's name for it.
    pub through: String,
    /// How many have finished.
    pub people: u64,
    /// How many questions each of them answered, unless nothing was left to ask.
    pub questions: u32,
    /// The hourly wage by the median time.
    pub hourly: Option<Cents>,
    /// What they cost: by the service with fees, or what they are owed. None if that is not known here.
    pub cost: Option<Cents>,
    /// The currency, if the service says.
    pub currency: String,
    /// Whether a service pays them, and takes fees for it.
    pub is_service: bool,
}

impl Access {
    /// The figures of the methods paragraph, by what was published last. What a study has cost is asked of its service, as for
    /// [`Access::recent_quote`]; where it does not say, the cost is left out.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn methods(&self) -> Result<Methods, Error> {
        let (views, reports) = (self.panels().await?, self.model_reports().await?);
        self.methods_of(&views, &reports).await
    }

    /// The same for somebody who has the panels and what models said already.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub async fn methods_of(&self, views: &[PanelView], reports: &[ModelReport]) -> Result<Methods, Error> {
        self.caller.require(Operation::Recruit)?;
        let views = views.iter().filter(|view| view.tally.finished > 0).cloned();
        // Together: each may wait for a service that does not answer.
        let mut asking = JoinSet::new();
        for (at, view) in views.enumerate() {
            let access = self.clone();
            asking.spawn(async move { (at, access.recruited(&view).await) });
        }
        let mut recruited = asking.join_all().await;
        recruited.sort_by_key(|(at, _)| *at);
        let (panels, problems): (Vec<_>, Vec<_>) = recruited.into_iter().map(|(_, found)| found).unzip();
        let (votes, model_votes) = self.campaign.with_state(|state| {
            let all = || state.votes().alive();
            (all().count() as u64, all().filter(|vote| is_model(&vote.response.worker)).count() as u64)
        });
        let mut models: Vec<String> = reports.iter().flat_map(|report| report.models.clone()).collect();
        models.sort();
        models.dedup();
        let certainty = mean_certainty(&self.hierarchy(None).await?.hierarchy);
        let problems = problems.into_iter().flatten().collect();
        Ok(Methods { panels, votes, model_votes, models, certainty, problems })
    }

    /// The people of a panel, and why it is not known what they cost.
    async fn recruited(&self, view: &PanelView) -> (Recruited, Option<String>) {
        let connection = view.panel.connection.as_deref();
        let is_reachable = connection.is_some_and(|name| self.workspace.crowds().panel(name).is_some());
        let quote = if is_reachable { Some(self.recent_quote(view.panel.id).await) } else { None };
        let (quote, problem) = match quote.transpose() {
            Ok(quote) => (quote, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let owed = Some(view.tally.owed).filter(|owed| connection.is_none() && *owed != Cents::ZERO);
        let recruited = Recruited {
            through: connection.unwrap_or(&view.panel.name).to_owned(),
            people: view.tally.finished,
            questions: view.settings.entry.questions,
            hourly: view.hourly(),
            cost: quote.as_ref().map(|quote| quote.spent).or(owed),
            currency: quote.map_or_else(String::new, |quote| quote.currency),
            is_service: connection.is_some(),
        };
        (recruited, problem)
    }
}

impl fmt::Display for Recruited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { through, people, questions, hourly, currency, .. } = self;
        let (noun, each) = (
            if *people == 1 { "person" } else { "people" },
            if *questions == 1 { "question" } else { "questions" },
        );
        write!(f, "{people} {noun} recruited through {through} (up to {questions} {each} each")?;
        if let Some(hourly) = hourly {
            write!(f, ", paid a median of {} an hour", money(*hourly, currency))?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let people: Vec<String> = self.panels.iter().map(ToString::to_string).collect();
        let by = if people.is_empty() { String::new() } else { format!(" by {}", people.join(" and ")) };
        write!(
            f,
            "Concepts were arranged in a hierarchy{by}, with Grove, which asks the most informative question next and keeps a probability \
             distribution over all hierarchies."
        )?;
        if self.model_votes > 0 {
            write!(
                f,
                " Of {} votes, {} were given by language models ({}, prompt version {PROMPT_VERSION}), whose error rates were learnt with \
                 everybody's.",
                self.votes,
                self.model_votes,
                self.models.join(", ")
            )?;
        } else {
            write!(f, " {} votes were given.", self.votes)?;
        }
        if let Some(certainty) = self.certainty {
            write!(f, " The mean certainty of the hierarchy's edges is {certainty:.2}.")?;
        }
        for panel in &self.panels {
            if let Some(cost) = panel.cost {
                // Whoever is paid by hand is owed no fees.
                let fees = if panel.is_service { " including fees" } else { "" };
                let cost = money(cost, &panel.currency);
                write!(f, " Recruiting through {} cost {cost}{fees}.", panel.through)?;
            }
        }
        Ok(())
    }
}

/// The mean certainty of the edges of a hierarchy; none if nothing is believed yet.
#[must_use]
pub fn mean_certainty(hierarchy: &Hierarchy) -> Option<f64> {
    let certainties: Vec<f64> = hierarchy.entries().iter().filter_map(|entry| entry.certainty).collect();
    (!certainties.is_empty()).then(|| certainties.iter().sum::<f64>() / certainties.len() as f64)
}

fn money(amount: Cents, currency: &str) -> String {
    format!("{amount} {currency}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paragraph_says_what_is_known_and_nothing_else() {
        let panel = Recruited {
            through: "prolific".into(),
            people: 40,
            questions: 8,
            hourly: Some(Cents(1_212)),
            cost: Some(Cents(5_654)),
            currency: "GBP".into(),
            is_service: true,
        };
        let methods = Methods {
            panels: vec![panel],
            votes: 410,
            model_votes: 90,
            models: vec!["small-1".into()],
            certainty: Some(0.968),
            problems: Vec::new(),
        };
        assert_eq!(
            methods.to_string(),
            "Concepts were arranged in a hierarchy by 40 people recruited through prolific (up to 8 questions each, paid a median of 12.12 GBP an hour), \
             with Grove, which asks the most informative question next and keeps a probability distribution over all hierarchies. Of 410 votes, 90 \
             were given by language models (small-1, prompt version 1), whose error rates were learnt with everybody's. The mean certainty of the \
             hierarchy's edges is 0.97. Recruiting through prolific cost 56.54 GBP including fees."
        );
        let empty = Methods {
            panels: Vec::new(),
            votes: 0,
            model_votes: 0,
            models: Vec::new(),
            certainty: None,
            problems: Vec::new(),
        };
        assert!(empty.to_string().ends_with("over all hierarchies. 0 votes were given."), "{empty}");
    }
}
