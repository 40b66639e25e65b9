use grove_vocabulary::Question;

use crate::sql::{Connection, Record, Row, Value, values};
use crate::{
    CampaignId, CredentialId, Error, Event, Position, Response, Result, Screen, Store, SubmittedVote, VoteId,
    WorkerId,
};

/// A vote as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredVote {
    /// The id under which it was submitted.
    pub id: VoteId,
    /// Who was shown what, and what they said.
    pub response: Response,
    /// How many milliseconds they took, if that is known.
    pub took_ms: Option<u32>,
    /// The invitation through which it came, if that is known.
    pub link: Option<CredentialId>,
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
        let by_id = "WHERE votes.campaign = $1 AND votes.vote = $2";
        self.reader().await?.select_first(by_id, values![campaign, vote]).await
    }

    /// Returns all votes of a worker, withdrawn ones too, in the order of the log.
    pub async fn votes_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<Vec<StoredVote>> {
        let by_worker = "WHERE votes.campaign = $1 AND votes.worker = $2 ORDER BY votes.position";
        self.reader().await?.select(by_worker, values![campaign, worker]).await
    }

    /// Returns how many votes of a worker count.
    pub async fn count_votes_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<u64> {
        let sql = "SELECT count(*) FROM votes WHERE campaign = $1 AND worker = $2 AND withdrawn IS NULL";
        let row = self.reader().await?.first(sql, values![campaign, worker]).await?;
        Ok(row.map_or(0, |(count,): (u32,)| count.into()))
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

/// What identifies a screen in the table: its form, or the kind of a yes/no question, the concept asked about and the options, whatever the
/// order in which they were shown. Of the votes of a worker with the same one, one counts.
///
/// A screen that shares only some of its options with an earlier one is another screen; that nobody is shown a pair twice in one form is for
/// those who choose screens.
pub(crate) fn screen_key(screen: &Screen) -> String {
    let form = screen.form();
    match screen.clone().in_order() {
        Screen::YesNo(Question { kind, upper, lower }) => format!("{} {upper} {lower}", kind.as_str()),
        Screen::Place { lower } => format!("{form} {lower}"),
        Screen::Pick { lower: subject, options } | Screen::Tick { upper: subject, options } => {
            let options: Vec<String> = options.iter().map(u32::to_string).collect();
            format!("{form} {subject} {}", options.join(","))
        }
    }
}

/// Returns the position of the very same vote if it was cast before, and fails if another vote rules it out. How long the worker took, and through which link
/// it came, does not make it another vote: a repeat may have waited, or be sent from elsewhere.
pub(crate) async fn find(
    db: &mut Connection,
    campaign: CampaignId,
    vote: &SubmittedVote,
) -> Result<Option<Position>> {
    let by_id_or_screen = "WHERE votes.campaign = $1 AND votes.vote = $2 OR
        votes.campaign = $1 AND votes.worker = $3 AND votes.screen = $4 AND votes.withdrawn IS NULL";
    let Response { worker, screen, .. } = &vote.response;
    let values = values![campaign, vote.id, worker, screen_key(screen)];
    let votes: Vec<StoredVote> = db.select(by_id_or_screen, values).await?;
    // The id comes first: a repeat is a repeat whatever else there is.
    match (votes.iter().find(|found| found.id == vote.id), votes.first()) {
        (Some(found), _) if found.response == vote.response => Ok(Some(found.position)),
        (Some(_), _) => Err(Error::Conflict),
        (None, Some(earlier)) => Err(Error::AlreadyAnswered { vote: earlier.id }),
        (None, None) => Ok(None),
    }
}

/// Returns for every worker and screen how many votes on the screen count, and how many of them are the worker's.
///
/// Each pair is counted by subqueries, and withdrawn votes are excluded from the sum, not from the rows. With a join, or an index of only
/// the votes that count, PostgreSQL would read all votes of the campaign until it has analysed the table.
pub(crate) async fn count(
    db: &mut Connection,
    campaign: CampaignId,
    pairs: &[(&WorkerId, &Screen)],
) -> Result<Vec<(u32, u32)>> {
    let row = |(&(worker, screen), number): (&(&WorkerId, &Screen), i64)| {
        values![number, campaign, worker, screen_key(screen)].to_vec()
    };
    let rows: Vec<_> = pairs.iter().zip(0..).map(row).collect();
    let head = "WITH asked (number, campaign, worker, screen) AS (";
    let tail = ") SELECT
                  (SELECT count(*) - count(withdrawn) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.screen = asked.screen),
                  (SELECT count(*) FROM votes
                   WHERE votes.campaign = asked.campaign AND votes.worker = asked.worker
                     AND votes.screen = asked.screen AND votes.withdrawn IS NULL)
                FROM asked ORDER BY number";
    db.query_rows(head, &rows, tail).await
}

/// To be followed by rows as [`row`] makes them.
pub(crate) const INSERT: &str = "INSERT INTO votes (campaign, vote, worker, screen, link, position) ";

pub(crate) fn row(campaign: CampaignId, vote: &SubmittedVote, position: Position) -> Vec<Value> {
    let Response { worker, screen, .. } = &vote.response;
    values![campaign, vote.id, worker, screen_key(screen), vote.link, position].to_vec()
}

impl Record for StoredVote {
    const SELECT: &str = "SELECT votes.vote, votes.position, votes.withdrawn, log.body FROM votes
        JOIN log ON log.campaign = votes.campaign AND log.position = votes.position";

    fn read(row: &Row) -> Result<Self> {
        let (id, position) = (row.get(0)?, row.get(1)?);
        let body: String = row.get(3)?;
        let Ok(Event::VoteCast(SubmittedVote { response, took_ms, link, .. })) = Event::from_json(&body)
        else {
            return Err(Error::damaged(format!("entry {position} is not the vote that it should be")));
        };
        Ok(Self { id, response, took_ms, link, position, withdrawn: row.get(2)? })
    }
}

/// A row of the table, to be compared with the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct VoteRow {
    pub(crate) vote: VoteId,
    worker: WorkerId,
    screen: String,
    link: Option<CredentialId>,
    pub(crate) position: Position,
    withdrawn: Option<Position>,
}

crate::sql::record!(VoteRow from votes: vote, worker, screen, link, position, withdrawn);

impl From<&StoredVote> for VoteRow {
    fn from(stored: &StoredVote) -> Self {
        Self {
            vote: stored.id,
            worker: stored.response.worker.clone(),
            screen: screen_key(&stored.response.screen),
            link: stored.link,
            position: stored.position,
            withdrawn: stored.withdrawn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_vocabulary::Kind;

    /// Keys are in the database, so they never change.
    #[test]
    fn screens_have_these_keys() {
        let keys = [
            (Screen::YesNo(Question { kind: Kind::Path, upper: 1, lower: 2 }), "path 1 2"),
            (Screen::YesNo(Question { kind: Kind::Edge, upper: 0, lower: 2 }), "edge 0 2"),
            (Screen::Pick { lower: 7, options: vec![10, 9, 2] }, "pick 7 2,9,10"),
            (Screen::Tick { upper: 7, options: vec![2] }, "tick 7 2"),
            (Screen::Place { lower: 7 }, "place 7"),
        ];
        for (screen, key) in keys {
            assert_eq!(screen_key(&screen), key);
        }
    }
}
