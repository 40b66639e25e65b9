use crate::log::Pen;
use crate::sql::{Connection, values};
use crate::{Actor, CampaignId, Error, Event, Moment, Position, Receipt, Store, WorkerId};

/// How many entries are rewritten between two looks at the database.
const PAGE: i64 = 500;

impl Store {
    /// Erases a worker from a campaign: their votes, the log's entries and their authorship become the stand-in's, their leases end, and all
    /// snapshots go, since nobody knows what they hold. The log stays replayable: the stand-in stands wherever the worker stood.
    ///
    /// The stand-in must be new to the campaign and say nothing about the worker. SQLite overwrites what is deleted; PostgreSQL
    /// keeps dead rows until its next vacuum; backups made before keep the name.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::Unknown`] worker, [`Error::Conflict`] if the stand-in occurs already.
    pub async fn erase_worker(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        worker: &WorkerId,
        stand_in: WorkerId,
    ) -> Result<Receipt, Error> {
        let gone = worker.clone();
        let receipt = self
            .write(campaign.0, move |db| {
                Box::pin(async move {
                    let actor = if actor == Actor::Worker(gone.clone()) {
                        Actor::Worker(stand_in.clone())
                    } else {
                        actor
                    };
                    let mut pen = Pen::take(db, campaign, at, actor).await?;
                    if occurs(pen.db, campaign, &stand_in).await? {
                        return Err(Error::Conflict);
                    }
                    if !occurs(pen.db, campaign, &gone).await? {
                        return Err(Error::Unknown("worker"));
                    }
                    let first_vote = first_vote(pen.db, campaign, &gone).await?;
                    replace(pen.db, campaign, &gone, &stand_in).await?;
                    let position = pen.write(&Event::WorkerErased { stand_in, first_vote }).await?;
                    pen.put_down().await?;
                    Ok(Receipt { position, repeated: false })
                })
            })
            .await?;
        self.end_leases_of(campaign, worker).await?;
        self.forget_free_pages().await?;
        Ok(receipt)
    }

    /// In SQLite, lets the write-ahead log go, in which old pages still stand. Readers may be in the way; then it goes a little later.
    async fn forget_free_pages(&self) -> Result<(), Error> {
        let mut db = self.reader().await?;
        match db {
            Connection::Sqlite(_) => db.batch("PRAGMA wal_checkpoint(TRUNCATE)").await,
            Connection::Postgres(_) => Ok(()),
        }
    }
}

/// Whether a worker has left any trace in a campaign.
async fn occurs(db: &mut Connection, campaign: CampaignId, worker: &WorkerId) -> Result<bool, Error> {
    let voted = "SELECT vote FROM votes WHERE campaign = $1 AND worker = $2 LIMIT 1";
    let acted = "SELECT position FROM log WHERE campaign = $1 AND actor = $2 LIMIT 1";
    let actor = Actor::Worker(worker.clone()).to_string();
    Ok(db.row(voted, values![campaign, worker]).await?.is_some()
        || db.row(acted, values![campaign, actor]).await?.is_some())
}

async fn first_vote(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
) -> Result<Option<Position>, Error> {
    let sql = "SELECT min(position) FROM votes WHERE campaign = $1 AND worker = $2";
    let row = db.row(sql, values![campaign, worker]).await?;
    row.map_or(Ok(None), |row| Ok(row.get::<Option<i64>>(0)?.map(Position)))
}

/// Puts the stand-in wherever the worker is.
async fn replace(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
    stand_in: &WorkerId,
) -> Result<(), Error> {
    rewrite_votes_in_the_log(db, campaign, worker, stand_in).await?;
    let votes = "UPDATE votes SET worker = $3 WHERE campaign = $1 AND worker = $2";
    db.execute(votes, values![campaign, worker, stand_in]).await?;
    let authorship = "UPDATE log SET actor = $3 WHERE campaign = $1 AND actor = $2";
    let [old, new] = [worker, stand_in].map(|who| Actor::Worker(who.clone()).to_string());
    db.execute(authorship, values![campaign, old, new]).await?;
    db.execute("DELETE FROM snapshots WHERE campaign = $1", values![campaign]).await.map(drop)
}

async fn rewrite_votes_in_the_log(
    db: &mut Connection,
    campaign: CampaignId,
    worker: &WorkerId,
    stand_in: &WorkerId,
) -> Result<(), Error> {
    let page = "SELECT log.position, log.body FROM votes JOIN log
                ON log.campaign = votes.campaign AND log.position = votes.position
                WHERE votes.campaign = $1 AND votes.worker = $2 AND votes.position > $3
                ORDER BY votes.position LIMIT $4";
    let mut done = Position::START;
    loop {
        let rows = db.rows(page, values![campaign, worker, done, PAGE]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            done = Position(row.get(0)?);
            let event = Event::from_json(&row.get::<String>(1)?);
            let Ok(Event::VoteCast(mut vote)) = event else {
                return Err(Error::damaged(format!("entry {done} is not the vote that it should be")));
            };
            vote.vote.worker = stand_in.clone();
            let body = Event::VoteCast(vote).to_json();
            let sql = "UPDATE log SET body = $3 WHERE campaign = $1 AND position = $2";
            db.execute(sql, values![campaign, done, body]).await?;
        }
    }
}
