use serde::{Deserialize, Serialize};

use crate::sql::{Connection, values, whole_row};
use crate::write_queue::transaction;
use crate::{CampaignId, Error, Moment, PanelId, Result, Store};

/// Where workers come from besides invitations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Panel {
    /// Its id, which is in the link that people follow.
    pub id: PanelId,
    /// The campaign.
    pub campaign: CampaignId,
    /// The owner's name for it.
    pub name: String,
    /// The operator's name for the service; none for a panel that only sends people.
    pub connection: Option<String>,
    /// The settings, as JSON.
    pub settings: String,
    /// Makes the secrets by which people are known again.
    pub key: Vec<u8>,
    /// The study at the service.
    pub study: Option<String>,
    /// Its status, in the words of the service; `open` or `closed` for a panel that only sends people.
    pub status: String,
    /// When it was made.
    pub created: Moment,
    /// When the service was last asked about it.
    pub synced: Option<Moment>,
    /// How many places the study has, as the service said last.
    #[serde(default)]
    pub places: Option<i64>,
    /// 1 if the study was paused because its campaign was, so that it is resumed with it.
    #[serde(default)]
    pub paused_with_campaign: i64,
    /// How often something was decided about the study that costs money, or about what it may cost.
    #[serde(default)]
    pub commitments: i64,
    /// The most places that the service was asked for, written before it is.
    #[serde(default)]
    pub places_asked: Option<i64>,
    /// When it was asked for them.
    #[serde(default)]
    pub places_asked_at: Option<Moment>,
    /// 1 if the submissions of the study were read after it had ended: from then on nobody new takes part.
    #[serde(default)]
    pub read_after_end: i64,
}

whole_row!(Panel of panels: id, campaign, name, connection, settings, key, study, status, created, synced, places, paused_with_campaign, commitments, places_asked, places_asked_at, read_after_end);

impl Store {
    /// Adds a panel.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there is one of that id.
    pub async fn add_panel(&self, panel: Panel) -> Result<()> {
        transaction!(self, panel.campaign.0, |db| { db.insert_new(panel).await })
    }

    /// The panel of an id, if there is one.
    pub async fn panel(&self, id: PanelId) -> Result<Option<Panel>> {
        self.reader().await?.select_first("WHERE id = $1", values![id]).await
    }

    /// The panels of a campaign, the oldest first.
    pub async fn panels_of(&self, campaign: CampaignId) -> Result<Vec<Panel>> {
        self.reader().await?.select("WHERE campaign = $1 ORDER BY created, id", values![campaign]).await
    }

    /// All panels with a study at a service.
    pub async fn studies(&self) -> Result<Vec<Panel>> {
        self.reader().await?.select("WHERE study IS NOT NULL ORDER BY created, id", &[]).await
    }

    /// The panels whose studies have ended at the service, whose submissions were read since, and where nothing waits: no submission for its end, for a
    /// decision or for the service to be told of one, no bonus to be paid or found out about, and nobody who came and of whom the service has not told.
    /// Whoever took too long is waited for if that was after `late`: they may still hand in a code.
    pub async fn studies_without_work(&self, late: Moment) -> Result<Vec<PanelId>> {
        let sql = "SELECT id FROM panels WHERE study IS NOT NULL AND status IN ('COMPLETED', 'AWAITING REVIEW') AND read_after_end = 1
            AND NOT EXISTS (SELECT * FROM submissions WHERE submissions.panel = panels.id
                AND (submissions.status IN ('RESERVED', 'ACTIVE', 'AWAITING REVIEW')
                    OR submissions.status = 'TIMED-OUT' AND submissions.at > $1
                    OR submissions.decision IS NOT NULL AND submissions.asked IS NULL AND submissions.status
                        NOT IN ('RETURNED', 'SCREENED OUT', 'PARTIALLY APPROVED', 'REJECTED', 'APPROVED')))
            AND NOT EXISTS (SELECT * FROM bonuses WHERE bonuses.panel = panels.id AND bonuses.status IN ('intended', 'sent'))
            AND NOT EXISTS (SELECT * FROM panel_people WHERE panel_people.panel = panels.id
                AND panel_people.session IS NOT NULL AND (panel_people.verified IS NULL OR panel_people.verified = 1
                AND NOT EXISTS (SELECT * FROM submissions WHERE submissions.panel = panels.id
                    AND submissions.submission = panel_people.session)))";
        let found: Vec<(PanelId,)> = self.reader().await?.all(sql, values![late]).await?;
        Ok(found.into_iter().map(|(id,)| id).collect())
    }

    /// Replaces the settings of a panel, if they are still those in `old`. Nothing is committed any more by a decision that rests on the earlier ones.
    ///
    /// # Errors
    /// [`Error::Changed`].
    pub async fn change_panel_settings(&self, old: &Panel, settings: String) -> Result<()> {
        let (id, before) = (old.id, old.settings.clone());
        transaction!(self, old.campaign.0, |db| {
            let sql = "UPDATE panels SET settings = $3, commitments = commitments + 1 WHERE id = $1 AND settings = $2";
            db.execute_one(sql, values![id, before, settings], Error::Changed).await
        })
    }

    /// Records what the service says about the study of a panel, and when, and whether its submissions were read after it had ended. Leaves the settings
    /// alone: the owner may have changed them while the service was asked.
    ///
    /// # Errors
    /// [`Error::Changed`] if the panel has another study: two programs have made a draft, and only one of them can be published.
    pub async fn set_panel_status(
        &self,
        panel: &Panel,
        study: String,
        status: String,
        places: u32,
        read_after_end: bool,
        synced: Moment,
    ) -> Result<()> {
        let (id, read) = (panel.id, i64::from(read_after_end));
        transaction!(self, panel.campaign.0, |db| {
            let sql =
                "UPDATE panels SET study = $2, status = $3, places = $4, read_after_end = $5, synced = $6
                       WHERE id = $1 AND (study IS NULL OR study = $2)";
            db.execute_one(sql, values![id, study, status, places, read, synced], Error::Changed).await
        })
    }

    /// Records how many places the service is about to be asked for at most, and when; none if it has not been asked. `seen` is the number of commitments
    /// by which it was decided that the budget is enough.
    ///
    /// # Errors
    /// [`Error::Conflict`] if money was committed since; then nothing must be asked for.
    pub async fn commit_places(&self, panel: &Panel, seen: i64, asked: Option<(u32, Moment)>) -> Result<()> {
        let (id, places, at) =
            (panel.id, asked.map(|(places, _)| i64::from(places)), asked.map(|(_, at)| at));
        transaction!(self, panel.campaign.0, |db| {
            commit(db, id, seen).await?;
            let sql = "UPDATE panels SET places_asked = $2, places_asked_at = $3 WHERE id = $1";
            db.execute_one(sql, values![id, places, at], Error::Unknown("panel")).await
        })
    }

    /// Records whether the study of a panel is paused because its campaign is. `seen` is the number of commitments by which that was decided; none for its
    /// owner, whose word counts whatever was decided before.
    ///
    /// # Errors
    /// [`Error::Conflict`] if something was decided since; then nothing must be done.
    pub async fn set_paused_with_campaign(
        &self,
        panel: &Panel,
        seen: Option<i64>,
        is_paused: bool,
    ) -> Result<()> {
        let id = panel.id;
        transaction!(self, panel.campaign.0, |db| {
            if let Some(seen) = seen {
                commit(db, id, seen).await?;
            } else {
                let sql = "UPDATE panels SET commitments = commitments + 1 WHERE id = $1";
                db.execute_one(sql, values![id], Error::Unknown("panel")).await?;
            }
            let sql = "UPDATE panels SET paused_with_campaign = $2 WHERE id = $1";
            db.execute_one(sql, values![id, i64::from(is_paused)], Error::Unknown("panel")).await
        })
    }
}

/// Commits money of a study, unless that was done since the number of commitments was `seen`.
pub(super) async fn commit(db: &mut Connection, panel: PanelId, seen: i64) -> Result<()> {
    let sql = "UPDATE panels SET commitments = commitments + 1 WHERE id = $1 AND commitments = $2";
    db.execute_one(sql, values![panel, seen], Error::Conflict).await
}
