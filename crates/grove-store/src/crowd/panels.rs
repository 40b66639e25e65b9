use serde::{Deserialize, Serialize};

use crate::sql::{values, whole_row};
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
}

whole_row!(Panel of panels: id, campaign, name, connection, settings, key, study, status, created, synced);

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

    /// Replaces the settings of a panel.
    ///
    /// # Errors
    /// [`Error::Unknown`] panel.
    pub async fn set_panel_settings(&self, panel: &Panel, settings: String) -> Result<()> {
        let id = panel.id;
        transaction!(self, panel.campaign.0, |db| {
            let sql = "UPDATE panels SET settings = $2 WHERE id = $1";
            db.execute_one(sql, values![id, settings], Error::Unknown("panel")).await
        })
    }

    /// Records what the service says about the study of a panel, and when. Leaves the settings alone: the owner may have changed them
    /// while the service was asked.
    ///
    /// # Errors
    /// [`Error::Unknown`] panel.
    pub async fn set_panel_status(
        &self,
        panel: &Panel,
        study: String,
        status: String,
        synced: Moment,
    ) -> Result<()> {
        let id = panel.id;
        transaction!(self, panel.campaign.0, |db| {
            let sql = "UPDATE panels SET study = $2, status = $3, synced = $4 WHERE id = $1";
            db.execute_one(sql, values![id, study, status, synced], Error::Unknown("panel")).await
        })
    }
}
