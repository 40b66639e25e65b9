use crate::log::LogWriter;
use crate::postgres::PATIENCE;
use crate::sql::{Connection, values};
use crate::write_queue::transaction;
use crate::{
    Actor, CampaignId, Error, Event, Moment, Position, Receipt, Result, Store, VoteSource, WorkerId, crowd,
};

/// How many entries are read at once.
const PAGE: u32 = 500;

impl Store {
    /// Erases a worker from a campaign: the votes and entries that they made become the stand-in's, their leases end, and all
    /// snapshots are deleted, since the store does not know what they hold. The log replays as before, with the stand-in in place of the
    /// worker.
    ///
    /// The stand-in must be new to the campaign and say nothing about the worker. SQLite overwrites what is deleted; PostgreSQL
    /// keeps dead rows until its next vacuum; earlier backups keep the name.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::Unknown`] worker, [`Error::Conflict`] if the stand-in occurs already,
    /// [`Error::NewerSchema`].
    pub async fn erase_worker(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        worker: &WorkerId,
        stand_in: WorkerId,
    ) -> Result<Receipt> {
        let erased = worker.clone();
        let receipt = transaction!(self, campaign.0, |db| {
            db.set_limit(PATIENCE);
            let is_self = actor == Actor::Worker(erased.clone());
            let actor = if is_self { Actor::Worker(stand_in.clone()) } else { actor };
            let mut writer = LogWriter::lock(db, campaign, at, actor).await?;
            if occurs(writer.db, campaign, &stand_in).await? {
                return Err(Error::Conflict);
            }
            if !occurs(writer.db, campaign, &erased).await? {
                return Err(Error::Unknown("worker"));
            }
            let sql = "SELECT min(position) FROM votes WHERE campaign = $1 AND worker = $2";
            let first = writer.db.first(sql, values![campaign, &erased]).await?;
            let first_vote = first.and_then(|(position,)| position);
            replace(writer.db, campaign, &erased, &stand_in).await?;
            crowd::replace_person(writer.db, campaign, &erased, &stand_in).await?;
            let receipt = writer.write(&Event::WorkerErased { stand_in, first_vote }).await?;
            writer.finish().await?;
            Ok(receipt)
        })?;
        self.end_leases_of(campaign, worker).await?;
        let mut db = self.reader().await?;
        if let Connection::Sqlite(_) = db {
            // Old pages are still in the write-ahead log. If readers are using it, it is truncated a little later.
            db.batch("PRAGMA wal_checkpoint(TRUNCATE)").await?;
        }
        Ok(receipt)
    }
}

/// Whether a worker has voted or made an entry in a campaign, or has come from one of its panels.
async fn occurs(db: &mut Connection, campaign: CampaignId, worker: &WorkerId) -> Result<bool> {
    let voted = "SELECT vote FROM votes WHERE campaign = $1 AND worker = $2 LIMIT 1";
    let acted = "SELECT position FROM log WHERE campaign = $1 AND actor = $2 LIMIT 1";
    let came = "SELECT panel FROM panel_people WHERE worker = $2
                AND panel IN (SELECT id FROM panels WHERE campaign = $1) LIMIT 1";
    let actor = Actor::Worker(worker.clone()).to_string();
    Ok(db.exists(voted, values![campaign, worker]).await?
        || db.exists(acted, values![campaign, actor]).await?
        || db.exists(came, values![campaign, worker]).await?)
}

/// Replaces the worker with the stand-in everywhere.
async fn replace(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
    stand_in: &WorkerId,
) -> Result<()> {
    let page = "SELECT log.position, log.body FROM votes JOIN log
                ON log.campaign = votes.campaign AND log.position = votes.position
                WHERE votes.campaign = $1 AND votes.worker = $2 AND votes.position > $3
                ORDER BY votes.position LIMIT $4";
    let mut last = Position::START;
    loop {
        let entries: Vec<(Position, String)> = db.all(page, values![campaign, worker, last, PAGE]).await?;
        if entries.is_empty() {
            break;
        }
        for (position, body) in entries {
            let Ok(Event::VoteCast(mut vote)) = Event::from_json(&body) else {
                return Err(Error::damaged(format!("entry {position} is not the vote that it should be")));
            };
            vote.response.worker = stand_in.clone();
            let sql = "UPDATE log SET body = $3 WHERE campaign = $1 AND position = $2";
            db.execute(sql, values![campaign, position, Event::VoteCast(vote).to_json()]).await?;
            last = position;
        }
    }
    replace_in_exclusions(db, campaign, worker, stand_in).await?;
    let votes = "UPDATE votes SET worker = $3 WHERE campaign = $1 AND worker = $2";
    db.execute(votes, values![campaign, worker, stand_in]).await?;
    let actors = "UPDATE log SET actor = $3 WHERE campaign = $1 AND actor = $2";
    let [old, new] = [worker, stand_in].map(|who| Actor::Worker(who.clone()).to_string());
    db.execute(actors, values![campaign, old, new]).await?;
    db.execute("DELETE FROM snapshots WHERE campaign = $1", values![campaign]).await.map(drop)
}

/// Replaces the worker in the entries that excluded and included their votes. These are few, and without an index.
async fn replace_in_exclusions(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
    stand_in: &WorkerId,
) -> Result<()> {
    let sql = "SELECT position, body FROM log WHERE campaign = $1 AND kind IN ('excluded', 'included')";
    let entries: Vec<(Position, String)> = db.all(sql, values![campaign]).await?;
    for (position, body) in entries {
        let Ok(mut event) = Event::from_json(&body) else {
            return Err(Error::damaged(format!("entry {position} cannot be read")));
        };
        let (Event::Excluded { source } | Event::Included { source }) = &mut event else { continue };
        if *source == VoteSource::Worker(worker.clone()) {
            *source = VoteSource::Worker(stand_in.clone());
            let sql = "UPDATE log SET body = $3 WHERE campaign = $1 AND position = $2";
            db.execute(sql, values![campaign, position, event.to_json()]).await?;
        }
    }
    Ok(())
}
