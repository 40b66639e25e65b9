//! Panels of people: who comes, what they are owed, and the study at the panel's service.

mod entry;
mod methods;
mod panels;
mod study;
mod sync;

use grove_crowd::{Cents, Error as CrowdError, GenericPanel, Prolific};
use grove_store::{Bonus, Panel, PanelId, PanelPerson, StoredSubmission};
use serde::{Deserialize, Serialize};

use super::Workspace;
use crate::Error;
pub(super) use entry::KnownKeys;
pub use entry::{Departure, Entered};
pub use methods::{Methods, Recruited, mean_certainty};
pub use panels::{Doubt, PanelTally, PanelView, PersonView};
pub use study::Quote;
pub(super) use study::RecentQuote;
pub use sync::Synced;

/// What an owner sets for a panel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelSettings {
    /// How people come and go.
    pub entry: GenericPanel,
    /// The study at the service, if the panel has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<StudySettings>,
}

/// A study at a service.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySettings {
    /// What people see.
    pub name: String,
    /// What people read before they take part.
    pub description: String,
    /// How many people at first.
    pub places: u32,
    /// How many people at most; more than `places` lets the study grow as the forecast says.
    pub most_places: u32,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What each person gets.
    pub reward: Cents,
    /// What the whole study may cost, bonuses, fees and tax included.
    pub budget: Cents,
    /// Whether people who have answered everything are approved without review, except those who do not seem to read.
    #[serde(default)]
    pub approve: bool,
}

impl PanelSettings {
    /// The settings of a study at Prolific, with codes that nobody can guess.
    ///
    /// # Errors
    /// [`grove_crowd::Error::BadPanel`] with the invalid field.
    pub fn of_study(study: StudySettings, questions: u32) -> Result<Self, Error> {
        let code = || -> Result<String, Error> {
            Ok(panels::random::<4>()?.iter().map(|byte| format!("{byte:02X}")).collect())
        };
        let entry = GenericPanel::prolific(questions, code()?, code()?);
        entry.check()?;
        study.check()?;
        Ok(Self { entry, study: Some(study) })
    }
}

impl StudySettings {
    /// Checks what the service would refuse, or would not keep within the budget.
    ///
    /// # Errors
    /// [`grove_crowd::Error::BadPanel`] with the invalid field.
    pub fn check(&self) -> Result<(), Error> {
        let bad =
            |field, problem: &str| Err(CrowdError::BadPanel { field, problem: problem.to_owned() }.into());
        if self.name.trim().is_empty() || self.name.chars().count() > 120 {
            return bad("name", "it must have 1 to 120 characters");
        }
        if self.description.trim().is_empty() {
            return bad("description", "it must not be empty; people read it before they take part");
        }
        if !(1..=10_000).contains(&self.places) {
            return bad("places", "it must be 1 to 10,000");
        }
        if !(self.places..=10_000).contains(&self.most_places) {
            return bad("most_people", "it must be at least the number of places and at most 10,000");
        }
        if !(1..=360).contains(&self.minutes) {
            return bad("minutes", "it must be 1 to 360");
        }
        if self.reward == Cents::ZERO {
            return bad("reward", "it must be at least 0.01");
        }
        Ok(())
    }
}

/// A panel with everything that is known about it.
struct Known {
    panel: Panel,
    settings: PanelSettings,
    people: Vec<PanelPerson>,
    submissions: Vec<StoredSubmission>,
    bonuses: Vec<Bonus>,
}

impl Known {
    async fn find(workspace: &Workspace, id: PanelId) -> Result<Self, Error> {
        let panel = workspace.store().panel(id).await?;
        Self::read(workspace, panel.ok_or(grove_store::Error::Unknown("panel"))?).await
    }

    async fn read(workspace: &Workspace, panel: Panel) -> Result<Self, Error> {
        let store = workspace.store();
        Ok(Self {
            settings: settings_of(&panel)?,
            people: store.people_of(panel.id).await?,
            submissions: store.submissions_of(panel.id).await?,
            bonuses: store.bonuses_of(panel.id).await?,
            panel,
        })
    }
}

fn settings_of(panel: &Panel) -> Result<PanelSettings, Error> {
    serde_json::from_str(&panel.settings)
        .map_err(|error| Error::Panel(format!("the settings of the panel cannot be read: {error}")))
}

/// The study of a panel and its client, for what needs both.
fn service(workspace: &Workspace, panel: &Panel) -> Result<(Prolific, grove_crowd::PanelConnection), Error> {
    let name = panel.connection.as_deref().ok_or_else(|| {
        Error::Panel("this panel only sends people; there is no study to change".to_owned())
    })?;
    let connection = workspace.crowds().panel(name).cloned().ok_or_else(|| {
        Error::Panel(format!(
            "this server's configuration has no panel {name:?} (see `grove serve --crowds`)"
        ))
    })?;
    Ok((Prolific::new(&connection), connection))
}

fn study_of(panel: &Panel) -> Result<&str, Error> {
    panel.study.as_deref().ok_or_else(|| Error::Panel("there is no draft yet; make one first".to_owned()))
}
