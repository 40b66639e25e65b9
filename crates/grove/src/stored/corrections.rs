//! `grove pin`, `forbid` and `free`: what the owner lays down.

use grove_campaign::Edit;
use grove_store::{Actor, Correction, CorrectionId};
use uuid::Uuid;

use super::concepts::concept;
use super::desk::{Desk, refused};
use super::words;
use crate::args::{Forbid, Free, Pin};
use crate::failure::bad_input;

/// Lays down a parent, or something above.
pub(super) async fn pin(options: &Pin, desk: &Desk) -> anyhow::Result<()> {
    lay_down(desk, &options.name, &options.child, &options.parent, |lower, upper| {
        match (upper, options.somewhere) {
            (0, false) => Correction::TopLevel { concept: lower },
            (_, false) => Correction::DirectlyUnder { lower, upper },
            (_, true) => Correction::SomewhereUnder { lower, upper },
        }
    })
    .await
}

/// Lays down that something is not above.
pub(super) async fn forbid(options: &Forbid, desk: &Desk) -> anyhow::Result<()> {
    lay_down(desk, &options.name, &options.child, &options.parent, |lower, upper| Correction::NotUnder {
        lower,
        upper,
    })
    .await
}

async fn lay_down(
    desk: &Desk,
    name: &str,
    child: &str,
    parent: &str,
    correction: impl Fn(u32, u32) -> Correction,
) -> anyhow::Result<()> {
    let mut campaign = desk.open(name).await?;
    let lower = concept(campaign.state(), child)?;
    let upper = campaign.state().find(parent).map_err(refused)?;
    if lower == upper {
        return Err(bad_input(format!("{child:?} and {parent:?} are the same concept; name two")));
    }
    let correction = correction(lower, upper);
    let standing = campaign.state().corrections();
    if standing.iter().any(|known| known.correction == correction) {
        let said = words::correction(campaign.state(), correction);
        return desk.remark(&format!("laid down already: {said}"));
    }
    let id = CorrectionId(Uuid::now_v7());
    campaign.edit(Actor::Grove, Edit::Correct { id, correction }).await.map_err(refused)?;
    desk.remark(&format!("laid down: {}", words::correction(campaign.state(), correction)))
}

/// Takes back what was laid down.
pub(super) async fn free(options: &Free, desk: &Desk) -> anyhow::Result<()> {
    let mut campaign = desk.open(&options.name).await?;
    let lower = concept(campaign.state(), &options.child)?;
    let upper =
        options.parent.as_deref().map(|parent| campaign.state().find(parent)).transpose().map_err(refused)?;
    let before = campaign.state().corrections().len();
    campaign.edit(Actor::Grove, Edit::Free { lower, upper }).await.map_err(refused)?;
    match before - campaign.state().corrections().len() {
        0 => Err(bad_input(format!(
            "nothing was laid down for {:?}; `grove show {} --json` lists what was",
            options.child, options.name
        ))),
        freed => desk.remark(&format!("{freed} taken back")),
    }
}
