//! `grove pause` and `grove resume`.

use grove_campaign::Edit;
use grove_store::Actor;

use super::desk::{Desk, put_down, refused};
use crate::args::{Pause, Resume};

pub(super) async fn pause(options: &Pause, desk: &Desk) -> anyhow::Result<()> {
    edit(&options.campaign, Edit::Pause { reason: options.reason.clone() }, desk).await?;
    desk.remark(&format!("{} is paused; `grove resume {0}` lets it go on", options.campaign))
}

pub(super) async fn resume(options: &Resume, desk: &Desk) -> anyhow::Result<()> {
    edit(&options.campaign, Edit::Resume, desk).await?;
    desk.remark(&format!("{} goes on", options.campaign))
}

async fn edit(name: &str, edit: Edit, desk: &Desk) -> anyhow::Result<()> {
    let mut campaign = desk.open(name).await?;
    let done = campaign.edit(Actor::Grove, edit).await.map_err(refused);
    put_down(campaign).await;
    done
}
