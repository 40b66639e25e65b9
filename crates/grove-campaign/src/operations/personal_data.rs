//! Everything that is stored about one worker, for the worker to have.

use grove_store::{Bonus, Moment, PanelPerson, StoredSubmission, WorkerId};
use serde::Serialize;

use super::{Access, Operation};
use crate::Error;

/// What is stored about one worker in one campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PersonalData {
    /// The random name under which the answers are.
    pub worker: WorkerId,
    /// The title of the campaign.
    pub campaign: String,
    /// Every answer.
    pub answers: Vec<PersonalAnswer>,
    /// Who they were at the panels that sent them, and what those said about them.
    pub panels: Vec<PersonAtPanel>,
}

/// An answer as the worker gave it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PersonalAnswer {
    /// The question in words.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// When it was given, in microseconds since 1970.
    pub at: Moment,
    /// How many milliseconds it took, if that is known.
    pub took_ms: Option<u32>,
    /// Whether it was withdrawn.
    pub withdrawn: bool,
}

/// A person as a panel knows them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PersonAtPanel {
    /// The person.
    #[serde(flatten)]
    pub person: PanelPerson,
    /// What the panel's service says about them.
    pub submissions: Vec<StoredSubmission>,
    /// Their bonuses.
    pub bonuses: Vec<Bonus>,
}

impl Access {
    /// Everything that is stored about a worker. Workers see their own alone.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn personal_data(&self, worker: &WorkerId) -> Result<PersonalData, Error> {
        self.caller.require_for(Operation::ReadPersonalData, worker)?;
        let (campaign, answers) = self.campaign.with_state(|state| {
            let own = state.votes().all().iter().filter(|vote| vote.response.worker == *worker);
            let answer = |vote: &crate::VoteState| PersonalAnswer {
                question: state.ask(vote.response.screen.clone()).map(|asked| asked.text).unwrap_or_default(),
                answer: vote
                    .response
                    .reply
                    .clone()
                    .map(|number| state.name_of(number).to_owned())
                    .to_string(),
                at: vote.at,
                took_ms: vote.took_ms,
                withdrawn: vote.withdrawn.is_some(),
            };
            (state.settings().heading().title, own.map(answer).collect())
        });
        let store = self.workspace.store();
        let mut panels = Vec::new();
        for panel in store.panels_of(self.campaign.id()).await? {
            let Some(person) = store.panel_person(panel.id, worker).await? else { continue };
            let mut submissions = store.submissions_of(panel.id).await?;
            submissions.retain(|one| one.person == person.person);
            let mut bonuses = store.bonuses_of(panel.id).await?;
            bonuses.retain(|bonus| submissions.iter().any(|one| one.submission == bonus.submission));
            panels.push(PersonAtPanel { person, submissions, bonuses });
        }
        Ok(PersonalData { worker: worker.clone(), campaign, answers, panels })
    }
}
