use serde::{Deserialize, Serialize};

use crate::sql::{values, whole_row};
use crate::write_queue::transaction;
use crate::{Error, Moment, PanelId, Result, Store};

/// What a service says about somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredSubmission {
    /// The panel.
    pub panel: PanelId,
    /// The service's id.
    pub submission: String,
    /// The person.
    pub person: String,
    /// The status, in the service's words.
    pub status: String,
    /// Since when, by the service's clock.
    pub at: Moment,
    /// The code that was handed in.
    pub code: Option<String>,
    /// How long it took.
    pub seconds: Option<i64>,
    /// What the owner wants: `approve` or `return`.
    pub decision: Option<String>,
    /// When the service was asked for it.
    pub asked: Option<Moment>,
}

whole_row!(StoredSubmission of submissions: panel, submission, person, status, at, code, seconds, decision, asked);

impl Store {
    /// The submissions of a panel.
    pub async fn submissions_of(&self, panel: PanelId) -> Result<Vec<StoredSubmission>> {
        self.reader().await?.select("WHERE panel = $1 ORDER BY submission", values![panel]).await
    }

    /// The submissions of an id, of which there is one unless two services made the same.
    pub async fn find_submissions(&self, submission: &str) -> Result<Vec<StoredSubmission>> {
        self.reader().await?.select("WHERE submission = $1", values![submission]).await
    }

    /// Adds a submission, or returns false if it is known.
    pub async fn add_submission(&self, new: StoredSubmission) -> Result<bool> {
        transaction!(self, new.panel.0, |db| { db.insert(new).await })
    }

    /// Changes status, code and time of a submission if they are still as in `old`. Returns whether they were: otherwise read it again.
    pub async fn change_submission(&self, old: StoredSubmission, new: StoredSubmission) -> Result<bool> {
        transaction!(self, old.panel.0, |db| {
            let sql = "UPDATE submissions SET status = $5, at = $6, code = $7, seconds = $8
                       WHERE panel = $1 AND submission = $2 AND status = $3 AND at = $4";
            let values = values![
                old.panel,
                old.submission,
                old.status,
                old.at,
                new.status,
                new.at,
                new.code,
                new.seconds
            ];
            Ok(db.execute(sql, values).await? == 1)
        })
    }

    /// Records what the owner wants, for all of some submissions or none.
    ///
    /// # Errors
    /// [`Error::Unknown`] submission.
    pub async fn decide(
        &self,
        panel: PanelId,
        submissions: Vec<String>,
        decision: &'static str,
    ) -> Result<()> {
        transaction!(self, panel.0, |db| {
            for submission in submissions {
                let sql =
                    "UPDATE submissions SET decision = $3, asked = NULL WHERE panel = $1 AND submission = $2";
                db.execute_one(sql, values![panel, submission, decision], Error::Unknown("submission"))
                    .await?;
            }
            Ok(())
        })
    }

    /// Records that the service was asked for what the owner wants.
    pub async fn has_asked(&self, panel: PanelId, submission: String, at: Moment) -> Result<()> {
        transaction!(self, panel.0, |db| {
            let sql = "UPDATE submissions SET asked = $3 WHERE panel = $1 AND submission = $2";
            db.execute(sql, values![panel, submission, at]).await.map(drop)
        })
    }

    /// Whether a webhook was taken in already.
    pub async fn knows_webhook(&self, connection: &str, event: &str) -> Result<bool> {
        let sql = "SELECT at FROM webhooks WHERE connection = $1 AND event = $2";
        self.reader().await?.exists(sql, values![connection, event]).await
    }

    /// Remembers a webhook that was taken in.
    pub async fn remember_webhook(&self, connection: String, event: String, at: Moment) -> Result<()> {
        transaction!(self, uuid::Uuid::nil(), |db| {
            let sql =
                "INSERT INTO webhooks (connection, event, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            db.execute(sql, values![connection, event, at]).await.map(drop)
        })
    }

    /// Forgets webhooks that came before a moment: no service sends them again after so long.
    pub async fn forget_webhooks(&self, before: Moment) -> Result<()> {
        transaction!(self, uuid::Uuid::nil(), |db| {
            db.execute("DELETE FROM webhooks WHERE at < $1", values![before]).await.map(drop)
        })
    }
}
