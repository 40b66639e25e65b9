use serde::{Deserialize, Serialize};

use crate::sql::{Connection, values, whole_row};
use crate::write_queue::transaction;
use crate::{CampaignId, Error, Moment, PanelId, Result, Store, WorkerId};

/// Somebody who came from a panel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PanelPerson {
    /// The panel.
    pub panel: PanelId,
    /// The panel's id of the person.
    pub person: String,
    /// The worker that they are.
    pub worker: WorkerId,
    /// Their session, or their submission.
    pub session: Option<String>,
    /// The study that they came for.
    pub study: Option<String>,
    /// The parameters that are kept, as JSON.
    pub kept: String,
    /// When they first came.
    pub entered: Moment,
    /// When they agreed to take part.
    pub consented: Option<Moment>,
    /// When they left with a code.
    pub finished: Option<Moment>,
    /// `finished` or `turned_away`.
    pub outcome: Option<String>,
    /// 1 if the service has confirmed the person and the session, 0 if it has denied them.
    pub verified: Option<i64>,
}

whole_row!(PanelPerson of panel_people: panel, person, worker, session, study, kept, entered, consented, finished, outcome, verified);

impl Store {
    /// Admits a person. Somebody who came before keeps their record; a new session replaces the old one unless they have
    /// finished. None if the
    /// panel has `most` people already.
    ///
    /// # Errors
    /// [`Error::Unknown`] panel.
    pub async fn enter_panel(&self, new: PanelPerson, most: Option<u32>) -> Result<Option<PanelPerson>> {
        transaction!(self, new.panel.0, |db| {
            let (panel, person) = (new.panel, new.person.clone());
            // Locked, so that people who come through several servers at once are counted one after the other.
            let lock = db.either(
                "SELECT id FROM panels WHERE id = $1",
                "SELECT id FROM panels WHERE id = $1 FOR UPDATE",
            );
            if !db.exists(lock, values![panel]).await? {
                return Err(Error::Unknown("panel"));
            }
            if find(db, panel, &person).await?.is_some() {
                let sql = "UPDATE panel_people SET session = $3, study = $4, verified = NULL
                           WHERE panel = $1 AND person = $2 AND finished IS NULL AND session IS DISTINCT FROM $3";
                db.execute(sql, values![panel, person.as_str(), new.session, new.study]).await?;
                return find(db, panel, &person).await;
            }
            if let Some(most) = most {
                let count =
                    db.first("SELECT count(*) FROM panel_people WHERE panel = $1", values![panel]).await?;
                if count.is_some_and(|(count,): (i64,)| count >= i64::from(most)) {
                    return Ok(None);
                }
            }
            db.insert_new(new).await?;
            find(db, panel, &person).await
        })
    }

    /// The person at a panel who is this worker.
    pub async fn panel_person(&self, panel: PanelId, worker: &WorkerId) -> Result<Option<PanelPerson>> {
        self.reader().await?.select_first("WHERE panel = $1 AND worker = $2", values![panel, worker]).await
    }

    /// Everybody who came from a panel, in the order in which they came.
    pub async fn people_of(&self, panel: PanelId) -> Result<Vec<PanelPerson>> {
        self.reader().await?.select("WHERE panel = $1 ORDER BY entered, person", values![panel]).await
    }

    /// Records that somebody agreed to take part.
    pub async fn consent(&self, panel: PanelId, worker: WorkerId, at: Moment) -> Result<()> {
        transaction!(self, panel.0, |db| {
            let sql = "UPDATE panel_people SET consented = $3 WHERE panel = $1 AND worker = $2 AND consented IS NULL";
            db.execute(sql, values![panel, worker, at]).await.map(drop)
        })
    }

    /// Records that somebody left with a code, and with which; the first time counts. Returns how they left.
    pub async fn leave_panel(
        &self,
        panel: PanelId,
        worker: WorkerId,
        at: Moment,
        outcome: &'static str,
    ) -> Result<String> {
        transaction!(self, panel.0, |db| {
            let sql = "UPDATE panel_people SET finished = $3, outcome = $4
                       WHERE panel = $1 AND worker = $2 AND finished IS NULL";
            db.execute(sql, values![panel, &worker, at, outcome]).await?;
            let sql = "SELECT outcome FROM panel_people WHERE panel = $1 AND worker = $2";
            let found: Option<(Option<String>,)> = db.first(sql, values![panel, &worker]).await?;
            found.and_then(|(outcome,)| outcome).ok_or(Error::Unknown("person"))
        })
    }

    /// Records whether the service has confirmed a person's session.
    pub async fn set_verified(
        &self,
        panel: PanelId,
        worker: WorkerId,
        session: String,
        is_good: bool,
    ) -> Result<()> {
        transaction!(self, panel.0, |db| {
            let sql =
                "UPDATE panel_people SET verified = $4 WHERE panel = $1 AND worker = $2 AND session = $3";
            db.execute(sql, values![panel, worker, session, i64::from(is_good)]).await.map(drop)
        })
    }
}

async fn find(db: &mut Connection, panel: PanelId, person: &str) -> Result<Option<PanelPerson>> {
    db.select_first("WHERE panel = $1 AND person = $2", values![panel, person]).await
}

/// Forgets who a worker was at the panels of a campaign. The submission stays, since money was paid for it.
pub(crate) async fn replace(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
    stand_in: &WorkerId,
) -> Result<()> {
    let submissions = "UPDATE submissions SET person = $3 WHERE EXISTS
        (SELECT * FROM panel_people JOIN panels ON panels.id = panel_people.panel
         WHERE panels.campaign = $1 AND panel_people.worker = $2 AND panel_people.panel = submissions.panel
           AND panel_people.person = submissions.person)";
    db.execute(submissions, values![campaign, worker, stand_in]).await?;
    let people = "UPDATE panel_people SET person = $3, worker = $3, session = NULL, kept = '{}'
        WHERE worker = $2 AND panel IN (SELECT id FROM panels WHERE campaign = $1)";
    db.execute(people, values![campaign, worker, stand_in]).await.map(drop)
}
