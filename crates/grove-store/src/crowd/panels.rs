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

    /// Replaces what can change of a panel: its settings, study, status and when it was last asked about.
    ///
    /// # Errors
    /// [`Error::Unknown`] panel.
    pub async fn change_panel(&self, panel: Panel) -> Result<()> {
        transaction!(self, panel.campaign.0, |db| {
            let sql = "UPDATE panels SET settings = $2, study = $3, status = $4, synced = $5, name = $6 WHERE id = $1";
            let Panel { id, settings, study, status, synced, name, .. } = panel;
            db.execute_one(sql, values![id, settings, study, status, synced, name], Error::Unknown("panel"))
                .await
        })
    }
}
