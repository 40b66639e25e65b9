use crate::sql::{Connection, Row, Value, values};
use crate::{
    Answer, CampaignId, Error, Kind, Position, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};

/// A vote as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredVote {
    /// The id under which it was submitted.
    pub id: VoteId,
    /// Who answered what.
    pub vote: Vote,
    /// Where it stands in the log.
    pub position: Position,
    /// Where its withdrawal stands, if it was withdrawn.
    pub withdrawn: Option<Position>,
}

/// How many votes a worker has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerTally {
    /// Who.
    pub worker: WorkerId,
    /// Votes that count.
    pub votes: u64,
    /// Votes taken back.
    pub withdrawn: u64,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT vote, worker, kind, upper, lower, answer, position, withdrawn FROM votes ", $rest)
    };
}

impl Store {
    /// A vote by its id.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn vote(&self, campaign: CampaignId, vote: VoteId) -> Result<Option<StoredVote>, Error> {
        let sql = select!("WHERE campaign = $1 AND vote = $2");
        self.reader().await?.row(sql, values![campaign, vote]).await?.as_ref().map(stored).transpose()
    }

    /// All votes on a question, withdrawn ones too, in the order of the log.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn votes_on(&self, campaign: CampaignId, question: Question) -> Result<Vec<StoredVote>, Error> {
        let sql =
            select!("WHERE campaign = $1 AND kind = $2 AND upper = $3 AND lower = $4 ORDER BY position");
        let Question { kind, upper, lower } = question;
        let rows = self.reader().await?.rows(sql, values![campaign, kind.as_str(), upper, lower]).await?;
        rows.iter().map(stored).collect()
    }

    /// All votes of a worker, withdrawn ones too, in the order of the log.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn votes_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<Vec<StoredVote>, Error> {
        let sql = select!("WHERE campaign = $1 AND worker = $2 ORDER BY position");
        let rows = self.reader().await?.rows(sql, values![campaign, worker]).await?;
        rows.iter().map(stored).collect()
    }

    /// How many votes each worker has: the payment list.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn workers(&self, campaign: CampaignId) -> Result<Vec<WorkerTally>, Error> {
        let sql = "SELECT worker, count(*), count(withdrawn) FROM votes WHERE campaign = $1
                   GROUP BY worker ORDER BY min(position)";
        let rows = self.reader().await?.rows(sql, values![campaign]).await?;
        let tally = |row: &Row| {
            let (all, withdrawn): (i64, i64) = (row.get(1)?, row.get(2)?);
            Ok(WorkerTally {
                worker: WorkerId::new(row.get::<String>(0)?)?,
                votes: (all - withdrawn).unsigned_abs(),
                withdrawn: withdrawn.unsigned_abs(),
            })
        };
        rows.iter().map(tally).collect()
    }
}

/// What the table holds that bears on a vote about to be cast.
pub(crate) enum Found {
    /// The very same vote.
    Same(Position),
    /// A vote with its id and other content.
    OtherContent,
    /// Another vote of the worker on the question.
    Answered(VoteId),
    Nothing,
}

pub(crate) async fn find(
    db: &mut Connection,
    campaign: CampaignId,
    vote: &SubmittedVote,
) -> Result<Found, Error> {
    let sql = select!(
        "WHERE campaign = $1 AND vote = $2 OR
               campaign = $1 AND worker = $3 AND kind = $4 AND upper = $5 AND lower = $6 AND withdrawn IS NULL"
    );
    let Question { kind, upper, lower } = vote.vote.question;
    let rows =
        db.rows(sql, values![campaign, vote.id, &vote.vote.worker, kind.as_str(), upper, lower]).await?;
    let votes = rows.iter().map(stored).collect::<Result<Vec<_>, _>>()?;
    // The vote's own id speaks first: a repeat is a repeat whatever else there is.
    Ok(match votes.iter().find(|found| found.id == vote.id) {
        Some(found) if found.vote == vote.vote => Found::Same(found.position),
        Some(_) => Found::OtherContent,
        None => votes.first().map_or(Found::Nothing, |found| Found::Answered(found.id)),
    })
}

/// For every worker and question asked about: how many votes on the question count, and how many of them are the worker's.
///
/// Each row is counted for itself, and withdrawn votes are left out of the sum and not of the rows. As long as PostgreSQL has not analysed the table, it would read
/// all votes of the campaign for a join, or by an index that holds only those that count.
pub(crate) async fn count(
    db: &mut Connection,
    campaign: CampaignId,
    asked: &[(&WorkerId, Question)],
) -> Result<Vec<(u32, u32)>, Error> {
    let row = |(number, (worker, question)): (usize, &(&WorkerId, Question))| {
        let Question { kind, upper, lower } = *question;
        values![number as i64, campaign, *worker, kind.as_str(), upper, lower].to_vec()
    };
    let rows: Vec<_> = asked.iter().enumerate().map(row).collect();
    let head = "WITH asked (number, campaign, worker, kind, upper, lower) AS (";
    let tail = ") SELECT number,
                  (SELECT count(*) - count(withdrawn) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.kind = asked.kind AND votes.upper = asked.upper
                     AND votes.lower = asked.lower),
                  (SELECT count(*) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.worker = asked.worker AND votes.kind = asked.kind
                     AND votes.upper = asked.upper AND votes.lower = asked.lower AND votes.withdrawn IS NULL)
                FROM asked ORDER BY number";
    let counted = db.rows_for(head, tail, &rows).await?;
    counted.iter().map(|row| Ok((row.small(1)?, row.small(2)?))).collect()
}

/// All votes of a campaign, in the order of the log, a page at a time.
pub(crate) async fn page(
    db: &mut Connection,
    campaign: CampaignId,
    after: Position,
    limit: u32,
) -> Result<Vec<StoredVote>, Error> {
    let sql = select!("WHERE campaign = $1 AND position > $2 ORDER BY position LIMIT $3");
    db.rows(sql, values![campaign, after, limit]).await?.iter().map(stored).collect()
}

pub(crate) async fn insert(
    db: &mut Connection,
    campaign: CampaignId,
    vote: &SubmittedVote,
    position: Position,
) -> Result<(), Error> {
    let sql = "INSERT INTO votes (campaign, vote, worker, kind, upper, lower, answer, position)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    db.execute(sql, &row(campaign, vote.id, &vote.vote, position)).await.map(drop)
}

/// The columns of the table, but for the withdrawal.
pub(crate) fn row(campaign: CampaignId, id: VoteId, vote: &Vote, position: Position) -> Vec<Value> {
    let Question { kind, upper, lower } = vote.question;
    values![campaign, id, &vote.worker, kind.as_str(), upper, lower, vote.answer.as_str(), position].to_vec()
}

pub(crate) fn stored(row: &Row) -> Result<StoredVote, Error> {
    let answer: String = row.get(5)?;
    Ok(StoredVote {
        id: VoteId(row.get(0)?),
        vote: Vote {
            worker: WorkerId::new(row.get::<String>(1)?)?,
            question: question(row, 2)?,
            answer: Answer::parse(&answer)
                .ok_or_else(|| Error::damaged(format!("a vote says {answer:?}")))?,
        },
        position: Position(row.get(6)?),
        withdrawn: row.get::<Option<i64>>(7)?.map(Position),
    })
}

/// The question in three columns from `first` on.
pub(crate) fn question(row: &Row, first: usize) -> Result<Question, Error> {
    let kind: String = row.get(first)?;
    let kind = Kind::parse(&kind).ok_or_else(|| Error::damaged(format!("a question is of kind {kind:?}")))?;
    Ok(Question { kind, upper: row.small(first + 1)?, lower: row.small(first + 2)? })
}
