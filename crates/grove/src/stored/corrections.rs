//! `grove pin`, `forbid` and `free`: what the owner lays down.

use grove_campaign::Edit;
use grove_store::{Actor, CorrectionId, Rule};
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
            (0, false) => Rule::TopLevel { concept: lower },
            (_, false) => Rule::DirectlyUnder { lower, upper },
            (_, true) => Rule::SomewhereUnder { lower, upper },
        }
    })
    .await
}

/// Lays down that something is not above.
pub(super) async fn forbid(options: &Forbid, desk: &Desk) -> anyhow::Result<()> {
    lay_down(desk, &options.name, &options.child, &options.parent, |lower, upper| Rule::NotUnder {
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
    rule: impl Fn(u32, u32) -> Rule,
) -> anyhow::Result<()> {
    let mut campaign = desk.open(name).await?;
    let lower = concept(campaign.state(), child)?;
    let upper = campaign.state().find(parent).map_err(refused)?;
    if lower == upper {
        return Err(bad_input(format!("{child:?} and {parent:?} are the same concept; name two")));
    }
    let rule = rule(lower, upper);
    let standing = campaign.state().corrections();
    if let Some(known) = standing.iter().find(|known| known.rule == rule) {
        let said = words::rule(campaign.state(), known.rule);
        return desk.remark(&format!("laid down already: {said}"));
    }
    let correction = CorrectionId(Uuid::now_v7());
    campaign.edit(Actor::Grove, Edit::Correct { correction, rule }).await.map_err(refused)?;
    desk.remark(&format!("laid down: {}", words::rule(campaign.state(), rule)))
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
