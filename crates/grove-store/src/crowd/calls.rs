use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sql::{values, whole_row};
use crate::write_queue::transaction;
use crate::{CampaignId, Moment, Result, Store, WorkerId};

/// A question to a language model, what it said and what it cost.
///
/// It is written down before it is sent, with the most that it can use, and again when its outcome is known: what was used is
/// counted even if the program dies in between, or the call fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModelCall {
    /// Its id, which is also that of the vote.
    pub id: Uuid,
    /// The campaign.
    pub campaign: CampaignId,
    /// The worker that the model with its prompts is.
    pub worker: WorkerId,
    /// The operator's name for the endpoint.
    pub endpoint: String,
    /// The model that answered, as the endpoint calls it.
    pub model: String,
    /// How it was asked.
    pub mode: String,
    /// The hash of the prompt.
    pub prompt: String,
    /// What makes two calls the same, as a hash.
    pub call: String,
    /// What was asked, as JSON.
    pub screen: String,
    /// What was said, as JSON; empty if nothing was.
    pub reply: String,
    /// P(yes) in billionths, if the model tells.
    pub yes: Option<i64>,
    /// Tokens of the prompt.
    pub input: i64,
    /// Tokens of the answer.
    pub output: i64,
    /// What it cost, in millionths of a cent.
    pub cost: i64,
    /// How long it took.
    pub milliseconds: i64,
    /// When it happened.
    pub at: Moment,
}

whole_row!(ModelCall of model_calls: id, campaign, worker, endpoint, model, mode, prompt, call, screen, reply, yes, input, output, cost, milliseconds, at);

impl Store {
    /// Records a question to a model.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] if there is one of that id.
    pub async fn add_call(&self, call: ModelCall) -> Result<()> {
        transaction!(self, call.campaign.0, |db| { db.insert_new(call).await })
    }

    /// Replaces a question by its outcome. One that was not answered and used nothing is forgotten.
    ///
    /// # Errors
    /// Errors from the database.
    pub async fn settle_call(&self, call: ModelCall) -> Result<()> {
        transaction!(self, call.campaign.0, |db| {
            db.execute("DELETE FROM model_calls WHERE id = $1", values![call.id]).await?;
            if call.reply.is_empty() && call.input == 0 && call.output == 0 {
                return Ok(());
            }
            db.insert_new(call).await
        })
    }

    /// All questions of a campaign to models, the oldest first.
    pub async fn calls_of(&self, campaign: CampaignId) -> Result<Vec<ModelCall>> {
        self.reader().await?.select("WHERE campaign = $1 ORDER BY at, id", values![campaign]).await
    }
}
