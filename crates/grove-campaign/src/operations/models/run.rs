//! Asking a model in the background, for servers: a page cannot wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use grove_crowd::{Cents, ModelClient};
use grove_store::{CampaignId, Moment};

use super::super::{Access, Operation};
use super::ModelRun;
use crate::Error;

/// The progress of a model that is asked in the background.
#[derive(Clone, PartialEq, Debug)]
pub struct RunStatus {
    /// The operator's name for it.
    pub endpoint: String,
    /// How many questions it is to answer.
    pub questions: u64,
    /// When it began.
    pub started: Moment,
    /// The result, or why there is none; `None` while it is being asked.
    pub ended: Option<Result<ModelRun, String>>,
}

/// The last run of each campaign in this program.
#[derive(Default)]
pub(in crate::operations) struct ModelRuns(Mutex<HashMap<CampaignId, (RunStatus, Arc<ModelClient>)>>);

impl ModelRuns {
    /// Stops asking, in all campaigns.
    pub(in crate::operations) fn stop_all(&self) {
        self.lock().values().for_each(|(_, client)| client.stop());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CampaignId, (RunStatus, Arc<ModelClient>)>> {
        // A panic within the few instructions that hold it cannot leave half a change behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Access {
    /// Begins to ask a model up to so many questions, and returns at once. `budget` is what it may spend on the campaign in all.
    ///
    /// # Errors
    /// [`Error::Panel`] for a model that the caller may not use, or if one is being asked already.
    pub async fn start_asking_model(
        &self,
        name: &str,
        budget: Option<Cents>,
        questions: u64,
    ) -> Result<(), Error> {
        let client = Arc::new(self.model_client(name, budget).await?);
        let id = self.campaign.id();
        let status =
            RunStatus { endpoint: name.to_owned(), questions, started: self.workspace.now(), ended: None };
        {
            let mut runs = self.workspace.shared.model_runs.lock();
            if let Some((running, _)) = runs.get(&id).filter(|(run, _)| run.ended.is_none()) {
                let running = &running.endpoint;
                return Err(Error::Panel(format!(
                    "{running} is being asked; wait until it has ended, or stop it"
                )));
            }
            runs.insert(id, (status, client.clone()));
        }
        let access = self.clone();
        tokio::spawn(async move {
            // On a task of its own, so that a panic is an outcome too.
            let asking = access.clone();
            let run = tokio::spawn(async move { asking.ask_model(client, questions).await }).await;
            let ended = match run {
                Ok(run) => run.map_err(|error| error.to_string()),
                Err(_) => Err("it ended with an internal error; the log has the details".to_owned()),
            };
            if let Err(error) = &ended {
                tracing::warn!(campaign = %id, error, "a model could not be asked");
            }
            if let Some((status, _)) = access.workspace.shared.model_runs.lock().get_mut(&id) {
                status.ended = Some(ended);
            }
        });
        Ok(())
    }

    /// The model that is being asked, or was last; none if none was since the program started.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn model_run(&self) -> Result<Option<RunStatus>, Error> {
        self.caller.require(Operation::AskModels)?;
        let runs = self.workspace.shared.model_runs.lock();
        Ok(runs.get(&self.campaign.id()).map(|(status, _)| status.clone()))
    }

    /// Stops asking the model. Requests under way are completed.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn stop_asking_model(&self) -> Result<(), Error> {
        self.caller.require(Operation::AskModels)?;
        if let Some((_, client)) = self.workspace.shared.model_runs.lock().get(&self.campaign.id()) {
            client.stop();
        }
        Ok(())
    }
}
