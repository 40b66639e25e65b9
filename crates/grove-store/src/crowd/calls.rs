use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sql::{Connection, record, values, whole_row};
use crate::write_queue::transaction;
use crate::{CampaignId, Error, Moment, Result, Store, WorkerId};

/// A question to a language model, what it said and what it cost.
///
/// It is written down before it is sent, with the most that it can use, and again when its outcome is known: what was used is
/// counted even if the program dies in between, or the call fails. [`ModelSpending`] has the sums.
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

/// What a model has used in a campaign, and what its questions under way may still use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelSpending {
    /// The operator's name for the endpoint.
    pub endpoint: String,
    /// Tokens.
    pub tokens: i64,
    /// Money, in millionths of a cent.
    pub cost: i64,
}

record!(ModelSpending from model_spending: endpoint, tokens, cost);

impl ModelSpending {
    /// What some questions have used, by endpoint.
    pub(crate) async fn by_calls(db: &mut Connection, campaign: CampaignId) -> Result<Vec<Self>> {
        let sql = "SELECT endpoint, CAST(sum(input + output) AS BIGINT), CAST(sum(cost) AS BIGINT)
                   FROM model_calls WHERE campaign = $1 GROUP BY endpoint ORDER BY endpoint";
        let rows: Vec<(String, i64, i64)> = db.all(sql, values![campaign]).await?;
        Ok(rows.into_iter().map(|(endpoint, tokens, cost)| Self { endpoint, tokens, cost }).collect())
    }

    /// What is stored about a campaign, without endpoints that have used nothing.
    pub(crate) async fn all_of(db: &mut Connection, campaign: CampaignId) -> Result<Vec<Self>> {
        db.select("WHERE campaign = $1 ORDER BY endpoint", values![campaign]).await
    }
}

/// The most that a model may use in a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModelCap {
    /// Tokens.
    pub tokens: Option<i64>,
    /// Money, in millionths of a cent.
    pub cost: Option<i64>,
}

/// Whether a question may be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reserved {
    /// It may, and is written down.
    Yes,
    /// It could exceed the cap. Nothing was written; this is what is used.
    No(ModelSpending),
}

impl Store {
    /// Writes down a question **before** it is sent, or sent again, with the most that it can have used then. Whatever programs there are, what all
    /// questions of the campaign to the endpoint can use never exceeds the cap.
    ///
    /// # Errors
    /// Errors from the database; then nothing must be sent.
    pub async fn reserve_call(&self, call: ModelCall, cap: ModelCap) -> Result<Reserved> {
        transaction!(self, call.campaign.0, |db| {
            lock(db, call.campaign).await?;
            let before = used_by(db, call.id).await?;
            let more = (used(&call).0 - before.0, used(&call).1 - before.1);
            let (campaign, endpoint) = (call.campaign, call.endpoint.clone());
            // One statement decides and reserves, so that programs that ask at the same time do so one after the other.
            add_spending(db, campaign, &endpoint, (0, 0)).await?;
            let sql = "UPDATE model_spending SET tokens = tokens + $3, cost = cost + $4
                       WHERE campaign = $1 AND endpoint = $2 AND tokens + $3 <= $5 AND cost + $4 <= $6";
            let (tokens, cost) = (cap.tokens.unwrap_or(i64::MAX), cap.cost.unwrap_or(i64::MAX));
            let values = values![campaign, endpoint.as_str(), more.0, more.1, tokens, cost];
            if db.execute(sql, values).await? == 1 {
                db.execute("DELETE FROM model_calls WHERE id = $1", values![call.id]).await?;
                db.insert_new(call).await?;
                return Ok(Reserved::Yes);
            }
            spending(db, campaign, endpoint).await.map(Reserved::No)
        })
    }

    /// Records an answer that is known from another question, and was not asked for again.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there is a question of that id.
    pub async fn add_call(&self, call: ModelCall) -> Result<()> {
        transaction!(self, call.campaign.0, |db| {
            lock(db, call.campaign).await?;
            insert(db, call).await
        })
    }

    /// Replaces a question by its outcome. One that was not answered and used nothing is forgotten.
    ///
    /// # Errors
    /// Errors from the database.
    pub async fn settle_call(&self, call: ModelCall) -> Result<()> {
        transaction!(self, call.campaign.0, |db| {
            lock(db, call.campaign).await?;
            let before = used_by(db, call.id).await?;
            db.execute("DELETE FROM model_calls WHERE id = $1", values![call.id]).await?;
            let is_nothing = call.reply.is_empty() && call.input == 0 && call.output == 0;
            let after = if is_nothing { (0, 0) } else { used(&call) };
            let more = (after.0 - before.0, after.1 - before.1);
            add_spending(db, call.campaign, &call.endpoint, more).await?;
            if is_nothing { Ok(()) } else { db.insert_new(call).await }
        })
    }

    /// All questions of a campaign to models, the oldest first.
    pub async fn calls_of(&self, campaign: CampaignId) -> Result<Vec<ModelCall>> {
        self.reader().await?.select("WHERE campaign = $1 ORDER BY at, id", values![campaign]).await
    }

    /// What a model has used in a campaign, and what its questions under way may still use.
    pub async fn model_spending(&self, campaign: CampaignId, endpoint: &str) -> Result<ModelSpending> {
        spending(&mut self.reader().await?, campaign, endpoint.to_owned()).await
    }

    /// What is known about what an endpoint supports, as JSON, if it was found out after `since`.
    pub async fn model_probe(&self, endpoint: &str, since: Moment) -> Result<Option<String>> {
        let sql = "SELECT probe FROM model_probes WHERE endpoint = $1 AND at > $2";
        let found: Option<(String,)> = self.reader().await?.first(sql, values![endpoint, since]).await?;
        Ok(found.map(|(probe,)| probe))
    }

    /// Remembers what an endpoint supports.
    pub async fn set_model_probe(&self, endpoint: String, probe: String, at: Moment) -> Result<()> {
        transaction!(self, Uuid::nil(), |db| {
            let sql = "INSERT INTO model_probes (endpoint, probe, at) VALUES ($1, $2, $3)
                       ON CONFLICT (endpoint) DO UPDATE SET probe = excluded.probe, at = excluded.at";
            db.execute(sql, values![endpoint, probe, at]).await.map(drop)
        })
    }

    /// Forgets what an endpoint supports.
    pub async fn forget_model_probe(&self, endpoint: String) -> Result<()> {
        transaction!(self, Uuid::nil(), |db| {
            db.execute("DELETE FROM model_probes WHERE endpoint = $1", values![endpoint]).await.map(drop)
        })
    }
}

/// Tokens and money.
type Used = (i64, i64);

fn used(call: &ModelCall) -> Used {
    (call.input.saturating_add(call.output), call.cost)
}

/// Locks the campaign's row before anything else, as whoever votes does. A question refers to its campaign, so its transaction locks that row anyway; if it
/// had locked the sums before, it and a transaction that votes and then asks could wait for each other for ever. (In SQLite the transaction holds the only
/// lock.)
async fn lock(db: &mut Connection, campaign: CampaignId) -> Result<()> {
    let sql = db.either(
        "SELECT id FROM campaigns WHERE id = $1",
        "SELECT id FROM campaigns WHERE id = $1 FOR UPDATE",
    );
    if db.exists(sql, values![campaign]).await? { Ok(()) } else { Err(Error::UnknownCampaign(campaign)) }
}

/// What a question has used as far as it is written down.
async fn used_by(db: &mut Connection, call: Uuid) -> Result<Used> {
    let sql = "SELECT input + output, cost FROM model_calls WHERE id = $1";
    Ok(db.first(sql, values![call]).await?.unwrap_or_default())
}

async fn spending(db: &mut Connection, campaign: CampaignId, endpoint: String) -> Result<ModelSpending> {
    let found = db
        .select_first("WHERE campaign = $1 AND endpoint = $2", values![campaign, endpoint.as_str()])
        .await?;
    Ok(found.unwrap_or(ModelSpending { endpoint, tokens: 0, cost: 0 }))
}

async fn add_spending(
    db: &mut Connection,
    campaign: CampaignId,
    endpoint: &str,
    (tokens, cost): Used,
) -> Result<()> {
    let sql = "INSERT INTO model_spending (campaign, endpoint, tokens, cost) VALUES ($1, $2, $3, $4)
               ON CONFLICT (campaign, endpoint) DO UPDATE
               SET tokens = model_spending.tokens + excluded.tokens, cost = model_spending.cost + excluded.cost";
    db.execute(sql, values![campaign, endpoint, tokens, cost]).await.map(drop)
}

/// Inserts a question with what it has used.
pub(crate) async fn insert(db: &mut Connection, call: ModelCall) -> Result<()> {
    add_spending(db, call.campaign, &call.endpoint, used(&call)).await?;
    db.insert_new(call).await
}
