//! Votes that wait together are written together, with a handful of statements for all of them.

use crate::log::{self, LogWriter, Receipt};
use crate::sql::Connection;
use crate::write_queue::{Caller, KEEP, UNDO};
use crate::{Actor, Admission, CampaignId, Error, Event, Moment, Result, SubmittedVote, links, votes};

/// A vote to be recorded.
pub(crate) struct PendingVote {
    pub(crate) campaign: CampaignId,
    pub(crate) at: Moment,
    pub(crate) submitted: SubmittedVote,
    pub(crate) admission: Admission,
    pub(crate) caller: Caller<Receipt>,
}

/// Writes votes of one campaign. A batch with a vote that cannot simply be inserted (a repeat, a refusal) is halved until that vote is
/// alone, so each such vote costs a logarithmic number of further attempts.
pub(crate) async fn write(db: &mut Connection, batch: &mut [PendingVote]) -> Result<()> {
    let mut parts = vec![batch];
    while let Some(part) = parts.pop() {
        let outcome = match &part[..] {
            [vote] => write_one(db, vote).await.map(|receipt| vec![receipt]),
            votes => write_all(db, votes).await,
        };
        match outcome {
            Ok(receipts) => {
                db.batch(KEEP).await?;
                for (vote, receipt) in part.iter_mut().zip(receipts) {
                    vote.caller.result = Some(Ok(receipt));
                }
            }
            Err(error) if error.fails_transaction() => return Err(error),
            Err(error) => {
                db.batch(UNDO).await?;
                if let [vote] = part {
                    vote.caller.result = Some(Err(error));
                } else {
                    let (first, second) = part.split_at_mut(part.len() / 2);
                    parts.extend([second, first]);
                }
            }
        }
    }
    Ok(())
}

async fn write_one(db: &mut Connection, pending: &PendingVote) -> Result<Receipt> {
    let PendingVote { campaign, at, submitted, admission, .. } = pending;
    let actor = Actor::Worker(submitted.response.worker.clone());
    let mut writer = LogWriter::lock(db, *campaign, *at, actor).await?;
    writer.admission = *admission;
    let receipt = writer.append(&Event::VoteCast(submitted.clone())).await?;
    writer.finish().await?;
    Ok(receipt)
}

/// Writes votes that are all new, or fails. Few statements: all who are waiting wait for each of them.
async fn write_all(db: &mut Connection, batch: &[PendingVote]) -> Result<Vec<Receipt>> {
    let Some(PendingVote { campaign, .. }) = batch.first() else { return Ok(Vec::new()) };
    let (mut position, concepts, votes) = log::reserve(db, *campaign, batch.len() as i64).await?;
    if batch.iter().any(|vote| log::is_over(votes, vote.admission.most_votes)) {
        return Err(Error::Full);
    }
    let (mut rows, mut entries, mut receipts) = (Vec::new(), Vec::new(), Vec::new());
    for PendingVote { campaign, at, submitted, .. } in batch {
        let event = Event::VoteCast(submitted.clone());
        log::check_concepts(&event, concepts)?;
        position = position.next();
        rows.push(votes::row(*campaign, submitted, position));
        let actor = Actor::Worker(submitted.response.worker.clone());
        entries.push(log::row(*campaign, position, *at, &actor, &event));
        receipts.push(Receipt { position, repeated: false });
    }
    if db.execute_rows(votes::INSERT, &rows, " ON CONFLICT DO NOTHING").await? < batch.len() as u64 {
        return Err(Error::Conflict);
    }
    let limited = batch.iter().filter(|vote| vote.admission.link_is_limited);
    links::check(db, limited.filter_map(|vote| vote.submitted.link).collect()).await?;
    db.execute_rows(log::INSERT, &entries, "").await?;
    Ok(receipts)
}
