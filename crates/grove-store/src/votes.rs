use crate::sql::{Connection, Record, Row, Value, values};
use crate::{CampaignId, Error, Position, Question, Result, Store, SubmittedVote, Vote, VoteId, WorkerId};

/// A vote as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredVote {
    /// The id under which it was submitted.
    pub id: VoteId,
    /// The vote.
    pub vote: Vote,
    /// Its position in the log.
    pub position: Position,
    /// The position of its withdrawal, if it was withdrawn.
    pub withdrawn: Option<Position>,
}

/// How many votes a worker has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerTally {
    /// The worker.
    pub worker: WorkerId,
    /// Votes that count.
    pub votes: u64,
    /// Votes that were withdrawn.
    pub withdrawn: u64,
}

impl Store {
    /// Returns a vote by its id.
    pub async fn vote(&self, campaign: CampaignId, vote: VoteId) -> Result<Option<StoredVote>> {
        let by_id = "WHERE campaign = $1 AND vote = $2";
        self.reader().await?.select_first(by_id, values![campaign, vote]).await
    }

    /// Returns all votes of a worker, withdrawn ones too, in the order of the log.
    pub async fn votes_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<Vec<StoredVote>> {
        let by_worker = "WHERE campaign = $1 AND worker = $2 ORDER BY position";
        self.reader().await?.select(by_worker, values![campaign, worker]).await
    }

    /// Returns how many votes each worker has: the payment list.
    pub async fn workers(&self, campaign: CampaignId) -> Result<Vec<WorkerTally>> {
        let sql =
            "SELECT worker, count(*) - count(withdrawn), count(withdrawn) FROM votes WHERE campaign = $1
                   GROUP BY worker ORDER BY min(position)";
        let tallies: Vec<(_, u32, u32)> = self.reader().await?.all(sql, values![campaign]).await?;
        let tally = |(worker, votes, withdrawn): (_, u32, u32)| WorkerTally {
            worker,
            votes: votes.into(),
            withdrawn: withdrawn.into(),
        };
        Ok(tallies.into_iter().map(tally).collect())
    }
}

/// Returns the position of the very same vote if it was cast before, and fails if another vote rules it out.
pub(crate) async fn find(
    db: &mut Connection,
    campaign: CampaignId,
    vote: &SubmittedVote,
) -> Result<Option<Position>> {
    let by_id_or_question = "WHERE campaign = $1 AND vote = $2 OR
        campaign = $1 AND worker = $3 AND kind = $4 AND upper = $5 AND lower = $6 AND withdrawn IS NULL";
    let question @ Question { kind, upper, lower } = vote.vote.question;
    let values = values![campaign, vote.id, &vote.vote.worker, kind, upper, lower];
    let votes: Vec<StoredVote> = db.select(by_id_or_question, values).await?;
    // The id comes first: a repeat is a repeat whatever else there is.
    match (votes.iter().find(|found| found.id == vote.id), votes.first()) {
        (Some(found), _) if found.vote == vote.vote => Ok(Some(found.position)),
        (Some(_), _) => Err(Error::Conflict),
        (None, Some(earlier)) => Err(Error::AlreadyAnswered { vote: earlier.id, question }),
        (None, None) => Ok(None),
    }
}

/// Returns for every worker and question how many votes on the question count, and how many of them are the worker's.
///
/// Each pair is counted by subqueries, and withdrawn votes are excluded from the sum, not from the rows. With a join, or an index of only
/// the votes that count, PostgreSQL would read all votes of the campaign until it has analysed the table.
pub(crate) async fn count(
    db: &mut Connection,
    campaign: CampaignId,
    pairs: &[(&WorkerId, Question)],
) -> Result<Vec<(u32, u32)>> {
    let row = |(&(worker, Question { kind, upper, lower }), number): (&(&WorkerId, Question), i64)| {
        values![number, campaign, worker, kind, upper, lower].to_vec()
    };
    let rows: Vec<_> = pairs.iter().zip(0..).map(row).collect();
    let head = "WITH asked (number, campaign, worker, kind, upper, lower) AS (";
    let tail = ") SELECT
                  (SELECT count(*) - count(withdrawn) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.kind = asked.kind AND votes.upper = asked.upper
                     AND votes.lower = asked.lower),
                  (SELECT count(*) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.worker = asked.worker AND votes.kind = asked.kind
                     AND votes.upper = asked.upper AND votes.lower = asked.lower AND votes.withdrawn IS NULL)
                FROM asked ORDER BY number";
    db.query_rows(head, &rows, tail).await
}

/// To be followed by rows as [`row`] makes them.
pub(crate) const INSERT: &str =
    "INSERT INTO votes (campaign, vote, worker, kind, upper, lower, answer, position) ";

pub(crate) fn row(campaign: CampaignId, id: VoteId, vote: &Vote, position: Position) -> Vec<Value> {
    let Question { kind, upper, lower } = vote.question;
    values![campaign, id, &vote.worker, kind, upper, lower, vote.answer, position].to_vec()
}

impl Record for StoredVote {
    const SELECT: &str = "SELECT vote, worker, kind, upper, lower, answer, position, withdrawn FROM votes";

    fn read(row: &Row) -> Result<Self> {
        let question = Question { kind: row.get(2)?, upper: row.get(3)?, lower: row.get(4)? };
        let vote = Vote { worker: row.get(1)?, question, answer: row.get(5)? };
        Ok(Self { id: row.get(0)?, vote, position: row.get(6)?, withdrawn: row.get(7)? })
    }
}
