//! Votes that wait together are written together: a handful of statements for all of them.

use tokio::sync::oneshot;

use crate::lane::{NEXT, UNDO};
use crate::log::{self, Pen, Receipt};
use crate::sql::{Connection, values};
use crate::{Actor, CampaignId, Error, Event, Moment, SubmittedVote, votes};

/// A vote that wants to be recorded, and whoever waits for it.
pub(crate) struct Cast {
    pub(crate) campaign: CampaignId,
    pub(crate) at: Moment,
    pub(crate) vote: SubmittedVote,
    outcome: Option<Result<Receipt, Error>>,
    reply: oneshot::Sender<Result<Receipt, Error>>,
}

impl Cast {
    pub(crate) fn new(
        campaign: CampaignId,
        at: Moment,
        vote: SubmittedVote,
    ) -> (Self, oneshot::Receiver<Result<Receipt, Error>>) {
        let (reply, answer) = oneshot::channel();
        (Self { campaign, at, vote, outcome: None, reply }, answer)
    }

    /// Answers. Where the group failed, even a refusal is void: it may rest on what another of the group had written.
    pub(crate) fn answer(self, group: Result<(), Error>) {
        let answer = group.and_then(|()| self.outcome.unwrap_or(Err(Error::Closed)));
        // Nobody may be waiting any more.
        let _ = self.reply.send(answer);
    }
}

/// Writes votes on one campaign. A group that holds a vote which cannot simply be written (a repeat, a refusal) is halved until that
/// vote stands alone, so each such vote costs a logarithm of further attempts.
pub(crate) async fn write(db: &mut Connection, casts: &mut [Cast]) -> Result<(), Error> {
    let mut parts = vec![casts];
    while let Some(part) = parts.pop() {
        let outcome = match &part[..] {
            [cast] => alone(db, cast).await.map(|receipt| vec![receipt]),
            casts => together(db, casts).await,
        };
        match outcome {
            Ok(receipts) => {
                db.batch(NEXT).await?;
                for (cast, receipt) in part.iter_mut().zip(receipts) {
                    cast.outcome = Some(Ok(receipt));
                }
            }
            Err(error) if error.spoils_all() => return Err(error),
            Err(error) => {
                db.batch(UNDO).await?;
                if let [cast] = part {
                    cast.outcome = Some(Err(error));
                } else {
                    let (first, second) = part.split_at_mut(part.len() / 2);
                    parts.extend([second, first]);
                }
            }
        }
    }
    Ok(())
}

async fn alone(db: &mut Connection, cast: &Cast) -> Result<Receipt, Error> {
    let actor = Actor::Worker(cast.vote.vote.worker.clone());
    let mut pen = Pen::take(db, cast.campaign, cast.at, actor).await?;
    let receipt = pen.append(&Event::VoteCast(cast.vote.clone())).await?;
    pen.put_down().await?;
    Ok(receipt)
}

/// Writes votes that are all new, or fails. Few statements: whoever waits meanwhile waits for each of them.
async fn together(db: &mut Connection, casts: &[Cast]) -> Result<Vec<Receipt>, Error> {
    let Some(Cast { campaign, .. }) = casts.first() else { return Ok(Vec::new()) };
    let wanted = casts.len() as u64;
    let room = log::make_room(db, *campaign, casts.len() as i64).await?;
    let mut position = room.after;
    let (mut rows, mut entries, mut receipts) = (Vec::new(), Vec::new(), Vec::new());
    for Cast { campaign, at, vote, .. } in casts {
        let event = Event::VoteCast(vote.clone());
        log::check_concepts(&event, room.concepts)?;
        position = position.next();
        rows.push(votes::row(*campaign, vote.id, &vote.vote, position));
        let actor = Actor::Worker(vote.vote.worker.clone()).to_string();
        entries.push(values![*campaign, position, *at, actor, event.name(), event.to_json()].to_vec());
        receipts.push(Receipt { position, repeated: false });
    }
    let insert = "INSERT INTO votes (campaign, vote, worker, kind, upper, lower, answer, position) ";
    if db.execute_rows(insert, " ON CONFLICT DO NOTHING", &rows).await? < wanted {
        return Err(Error::Conflict);
    }
    let insert = "INSERT INTO log (campaign, position, at, actor, kind, body) ";
    db.execute_rows(insert, "", &entries).await?;
    Ok(receipts)
}
