use crate::sql::{Connection, Record, Row, Value, values};
use crate::write_queue::transaction;
use crate::{
    Actor, CampaignId, CorrectionId, Entry, Error, Event, HolderId, Moment, Position, Response, Result,
    Store, SubmittedVote, VoteId, links, schema, votes,
};

/// How many entries are read at once.
const PAGE: u32 = 2_000;

/// The position of something in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// The position.
    pub position: Position,
    /// Whether it had been written before, so that nothing was written now.
    pub repeated: bool,
}

/// The limits on a vote, checked by the transaction that stores it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Admission {
    /// How many votes that are not withdrawn the campaign may have.
    pub most_votes: Option<u64>,
    /// Whether the vote's link has limits; if not, they are not looked up.
    pub link_is_limited: bool,
}

impl Store {
    /// Appends events to a campaign's log: all of them, or none. On return they are on disk.
    ///
    /// A vote or a correction that was sent before, with the same id and content, is not written again: the receipt gives its
    /// position. The same holds for withdrawing a vote or undoing a correction again.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`]; [`Error::Conflict`] for an id used with different content; [`Error::AlreadyAnswered`];
    /// [`Error::WrongConceptNumber`]; [`Error::BadConcept`]; [`Error::Unknown`] vote or correction, also for a worker who names
    /// another's vote; [`Error::NotAppended`] for events that have a method of their own; [`Error::NewerSchema`].
    pub async fn append(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        events: Vec<Event>,
    ) -> Result<Vec<Receipt>> {
        self.append_after(campaign, at, actor, events, None).await
    }

    /// As [`Store::append`], if nobody has changed the campaign after a position. Votes and the belief's records do not count as
    /// changes: they would not alter the decision on these events.
    ///
    /// # Errors
    /// [`Error::Changed`], and as [`Store::append`].
    pub async fn append_after(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        events: Vec<Event>,
        known: Option<Position>,
    ) -> Result<Vec<Receipt>> {
        let receipts = transaction!(self, campaign.0, |db| {
            let mut writer = LogWriter::lock(db, campaign, at, actor).await?;
            if let Some(known) = known {
                let sql = "SELECT position FROM log WHERE campaign = $1 AND position > $2
                           AND kind NOT IN ('vote_cast', 'vote_withdrawn', 'advanced') LIMIT 1";
                if writer.db.exists(sql, values![campaign, known]).await? {
                    return Err(Error::Changed);
                }
            }
            let mut receipts = Vec::with_capacity(events.len());
            for event in &events {
                receipts.push(writer.append(event).await?);
            }
            writer.finish().await?;
            Ok(receipts)
        })?;
        self.0.changes.note(campaign);
        Ok(receipts)
    }

    /// Records a vote and ends the worker's lease on the screen. On return the vote is on disk. A vote without a lease, or after
    /// its lease has ended, counts like any other.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn cast(&self, campaign: CampaignId, at: Moment, vote: SubmittedVote) -> Result<Receipt> {
        self.cast_within(campaign, at, vote, Admission::default()).await
    }

    /// As [`Store::cast`], unless the campaign or the link has as many votes as it may have. The transaction that stores a vote counts them, so there is never
    /// one too many, however many are cast at once and by however many servers. A vote that was cast before is a repeat, whether or not there is room.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::LinkFull`], and as [`Store::append`].
    pub async fn cast_within(
        &self,
        campaign: CampaignId,
        at: Moment,
        vote: SubmittedVote,
        admission: Admission,
    ) -> Result<Receipt> {
        let Response { worker, screen, .. } = vote.response.clone();
        let receipt = self.write_queue(campaign.0).write_vote(campaign, at, vote, admission).await;
        if receipt.is_ok() {
            self.0.changes.note(campaign);
        }
        if matches!(receipt, Ok(_) | Err(Error::AlreadyAnswered { .. })) {
            // The vote counts; if ending the lease fails, it expires.
            let _ = self.end_lease(campaign, &worker, &screen).await;
        }
        receipt
    }

    /// Withdraws a vote. Workers can withdraw only their own.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn withdraw(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        vote: VoteId,
    ) -> Result<Receipt> {
        let receipts = self.append(campaign, at, actor, vec![Event::VoteWithdrawn { vote }]).await?;
        receipts.first().copied().ok_or(Error::Closed)
    }

    /// Replaces a worker's vote by another: withdraws the one and records the other in one transaction. Sending the same again changes
    /// nothing. The number of votes stays the same, so there is always room for the new one.
    ///
    /// # Errors
    /// [`Error::Unknown`] vote, also if it was withdrawn or is another worker's; and as [`Store::append`].
    pub async fn replace_vote(
        &self,
        campaign: CampaignId,
        at: Moment,
        replaced: VoteId,
        by: SubmittedVote,
    ) -> Result<Receipt> {
        let receipt = transaction!(self, campaign.0, |db| {
            let actor = Actor::Worker(by.response.worker.clone());
            let mut writer = LogWriter::lock(db, campaign, at, actor).await?;
            let withdrawn = writer.append(&Event::VoteWithdrawn { vote: replaced }).await?;
            let receipt = writer.append(&Event::VoteCast(by)).await?;
            if withdrawn.repeated && !receipt.repeated {
                return Err(Error::Unknown("vote"));
            }
            writer.finish().await?;
            Ok(receipt)
        })?;
        self.0.changes.note(campaign);
        Ok(receipt)
    }

    /// Records that the belief has read the log up to `votes_to`. Only the present holder of the belief may do so, and only forwards: replay
    /// then reads the records of one belief after the other and never of two at once.
    ///
    /// # Errors
    /// [`Error::NotTheHolder`] if another program has taken over the belief, [`Error::BadAdvance`], [`Error::UnknownCampaign`],
    /// [`Error::NewerSchema`].
    pub async fn advance(
        &self,
        campaign: CampaignId,
        at: Moment,
        (holder, epoch): (HolderId, i64),
        votes_to: Position,
        work: serde_json::Value,
    ) -> Result<Receipt> {
        let receipt = transaction!(self, campaign.0, |db| {
            let mut writer = LogWriter::lock(db, campaign, at, Actor::Grove).await?;
            let held = "SELECT campaign FROM holders WHERE campaign = $1 AND holder = $2 AND epoch = $3";
            let held = writer.db.first::<()>(held, values![campaign, holder, epoch]).await?;
            held.ok_or(Error::NotTheHolder)?;
            let (from, head) = (writer.advanced, writer.head);
            if votes_to < from || votes_to > head {
                return Err(Error::BadAdvance { to: votes_to, from, head });
            }
            writer.advanced = votes_to;
            let receipt = writer.write(&Event::Advanced { votes_to, work, epoch }).await?;
            writer.finish().await?;
            Ok(receipt)
        })?;
        self.0.changes.note(campaign);
        Ok(receipt)
    }

    /// Returns the entries after a position, in order, and at most `limit` of them. The log of an unknown campaign is empty.
    ///
    /// # Errors
    /// [`Error::Damaged`] for an entry that cannot be read.
    pub async fn log(&self, campaign: CampaignId, after: Position, limit: u32) -> Result<Vec<Entry>> {
        page(&mut self.reader().await?, campaign, after, limit).await
    }
}

async fn page(db: &mut Connection, campaign: CampaignId, after: Position, limit: u32) -> Result<Vec<Entry>> {
    let page = "WHERE campaign = $1 AND position > $2 ORDER BY position LIMIT $3";
    db.select(page, values![campaign, after, limit]).await
}

/// Calls `read` with every entry of a campaign's log, in order.
pub(crate) async fn for_each(
    db: &mut Connection,
    campaign: CampaignId,
    mut read: impl FnMut(Entry) -> Result<()>,
) -> Result<()> {
    let mut last = Position::START;
    loop {
        let entries = page(db, campaign, last, PAGE).await?;
        let Some(entry) = entries.last() else { return Ok(()) };
        last = entry.position;
        entries.into_iter().try_for_each(&mut read)?;
    }
}

impl Record for Entry {
    const SELECT: &str = "SELECT position, at, actor, body FROM log";

    fn read(row: &Row) -> Result<Self> {
        let position = row.get(0)?;
        let event = Event::from_json(&row.get::<String>(3)?)
            .map_err(|error| Error::damaged(format!("entry {position} cannot be read ({error})")))?;
        Ok(Self { position, at: row.get(1)?, actor: row.get::<String>(2)?.parse()?, event })
    }
}

/// To be followed by rows as [`row`] makes them.
pub(crate) const INSERT: &str = "INSERT INTO log (campaign, position, at, actor, kind, body) ";

pub(crate) fn row(
    campaign: CampaignId,
    position: Position,
    at: Moment,
    actor: &Actor,
    event: &Event,
) -> Vec<Value> {
    values![campaign, position, at, actor.to_string(), event.name(), event.to_json()].to_vec()
}

/// Locks the campaign's row, checks the version of the schema, and extends the log by some entries, which have to be written in the
/// same transaction and are all new votes. Returns the position before them, the number of concepts and that of the votes, these included.
pub(crate) async fn reserve(
    db: &mut Connection,
    campaign: CampaignId,
    entries: i64,
) -> Result<(Position, u32, i64)> {
    let sql = "UPDATE campaigns SET head = head + $2, votes = votes + $2 WHERE id = $1
               RETURNING head - $2, concepts, votes, (SELECT version FROM grove_schema)";
    let row = db.first(sql, values![campaign, entries]).await?;
    let (head, concepts, votes, version) = row.ok_or(Error::UnknownCampaign(campaign))?;
    schema::check(version)?;
    Ok((head, concepts, votes))
}

/// Whether a campaign with so many votes has more than it may have.
pub(crate) fn is_over(votes: i64, most: Option<u64>) -> bool {
    most.is_some_and(|most| u64::try_from(votes).is_ok_and(|votes| votes > most))
}

/// Checks that an event's concepts exist. The root can only be the upper concept of a yes/no vote or of a correction.
pub(crate) fn check_concepts(event: &Event, known: u32) -> Result<()> {
    let concepts = event.concepts();
    let root_may_be_second = match event {
        Event::VoteCast(vote) => vote.response.screen.question().is_some(),
        Event::CorrectionMade { .. } => true,
        _ => false,
    };
    let is_parent = |place: usize| matches!(event, Event::HierarchyGiven { .. }) && place % 2 == 1;
    for (place, &concept) in concepts.iter().enumerate() {
        let root_is_fine = place == 1 && root_may_be_second || is_parent(place);
        if concept > known || (concept == 0 && !root_is_fine) {
            return Err(Error::BadConcept(concept));
        }
    }
    match concepts[..] {
        [first, second] if first == second => Err(Error::BadConcept(first)),
        _ => Ok(()),
    }
}

/// Appends to the log of one campaign, whose row stays locked until the end of the transaction.
pub(crate) struct LogWriter<'c> {
    pub(crate) db: &'c mut Connection,
    campaign: CampaignId,
    at: Moment,
    actor: Actor,
    head: Position,
    concepts: u32,
    advanced: Position,
    votes: i64,
    pub(crate) admission: Admission,
}

impl<'c> LogWriter<'c> {
    /// Locks the campaign's row and checks the version of the schema. (In SQLite the transaction holds the only lock.)
    pub(crate) async fn lock(
        db: &'c mut Connection,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
    ) -> Result<Self> {
        let sql = db.either(
            "SELECT head, concepts, advanced, votes, (SELECT version FROM grove_schema) FROM campaigns WHERE id = $1",
            "SELECT head, concepts, advanced, votes, (SELECT version FROM grove_schema) FROM campaigns WHERE id = $1
             FOR UPDATE OF campaigns",
        );
        let row = db.first(sql, values![campaign]).await?;
        let (head, concepts, advanced, votes, version) = row.ok_or(Error::UnknownCampaign(campaign))?;
        schema::check(version)?;
        Ok(Self { db, campaign, at, actor, head, concepts, advanced, votes, admission: Admission::default() })
    }

    /// Stores the new end of the log in the campaign's row.
    pub(crate) async fn finish(self) -> Result<()> {
        let sql = "UPDATE campaigns SET head = $2, concepts = $3, advanced = $4, votes = $5 WHERE id = $1";
        let values = values![self.campaign, self.head, self.concepts, self.advanced, self.votes];
        self.db.execute(sql, values).await.map(drop)
    }

    /// Checks an event against what is stored, writes it, and updates the tables of votes and corrections.
    pub(crate) async fn append(&mut self, event: &Event) -> Result<Receipt> {
        check_concepts(event, self.concepts)?;
        match event {
            Event::ConceptAdded { concept, .. } => self.add_concept(*concept)?,
            Event::VoteCast(vote) => return self.cast(vote, event).await,
            Event::VoteWithdrawn { vote } => return self.withdraw(*vote, event).await,
            Event::CorrectionMade { id, .. } => return self.correct(*id, event).await,
            Event::CorrectionTakenBack { correction } => return self.undo(*correction, event).await,
            Event::Advanced { .. } | Event::WorkerErased { .. } => {
                return Err(Error::NotAppended(event.name()));
            }
            _ => {}
        }
        self.write(event).await
    }

    /// Writes an entry at the next position.
    pub(crate) async fn write(&mut self, event: &Event) -> Result<Receipt> {
        self.head = self.head.next();
        let row = row(self.campaign, self.head, self.at, &self.actor, event);
        self.db.execute_rows(INSERT, &[row], "").await?;
        Ok(Receipt { position: self.head, repeated: false })
    }

    fn add_concept(&mut self, concept: u32) -> Result<()> {
        let expected = self.concepts + 1;
        if concept != expected {
            return Err(Error::WrongConceptNumber { expected, found: concept });
        }
        self.concepts = expected;
        Ok(())
    }

    async fn cast(&mut self, vote: &SubmittedVote, event: &Event) -> Result<Receipt> {
        if let Some(position) = votes::find(self.db, self.campaign, vote).await? {
            return Ok(Receipt { position, repeated: true });
        }
        self.votes += 1;
        if is_over(self.votes, self.admission.most_votes) {
            return Err(Error::Full);
        }
        let receipt = self.write(event).await?;
        let row = votes::row(self.campaign, vote, receipt.position);
        self.db.execute_rows(votes::INSERT, &[row], "").await?;
        if self.admission.link_is_limited {
            links::check(self.db, vote.link.into_iter().collect()).await?;
        }
        Ok(receipt)
    }

    async fn withdraw(&mut self, vote: VoteId, event: &Event) -> Result<Receipt> {
        let sql = "SELECT worker, withdrawn FROM votes WHERE campaign = $1 AND vote = $2";
        let row = self.db.first(sql, values![self.campaign, vote]).await?;
        let (worker, withdrawn): (_, Option<Position>) = row.ok_or(Error::Unknown("vote"))?;
        if matches!(&self.actor, Actor::Worker(actor) if *actor != worker) {
            return Err(Error::Unknown("vote"));
        }
        if withdrawn.is_none() {
            self.votes -= 1;
        }
        let sql = "UPDATE votes SET withdrawn = $3 WHERE campaign = $1 AND vote = $2";
        self.end(withdrawn, event, sql, Value::from(vote)).await
    }

    async fn correct(&mut self, correction: CorrectionId, event: &Event) -> Result<Receipt> {
        let sql = "SELECT log.position, log.body FROM corrections, log
                   WHERE corrections.campaign = $1 AND corrections.correction = $2
                     AND log.campaign = corrections.campaign AND log.position = corrections.position";
        let made: Option<(_, String)> = self.db.first(sql, values![self.campaign, correction]).await?;
        if let Some((position, body)) = made {
            return if body == event.to_json() {
                Ok(Receipt { position, repeated: true })
            } else {
                Err(Error::Conflict)
            };
        }
        let receipt = self.write(event).await?;
        let sql = "INSERT INTO corrections (campaign, correction, position) VALUES ($1, $2, $3)";
        self.db.execute(sql, values![self.campaign, correction, receipt.position]).await?;
        Ok(receipt)
    }

    async fn undo(&mut self, correction: CorrectionId, event: &Event) -> Result<Receipt> {
        let sql = "SELECT taken_back FROM corrections WHERE campaign = $1 AND correction = $2";
        let row = self.db.first(sql, values![self.campaign, correction]).await?;
        let (undone,) = row.ok_or(Error::Unknown("correction"))?;
        let sql = "UPDATE corrections SET taken_back = $3 WHERE campaign = $1 AND correction = $2";
        self.end(undone, event, sql, Value::from(correction)).await
    }

    /// Writes that a vote or a correction no longer counts, unless that was written before.
    async fn end(
        &mut self,
        ended: Option<Position>,
        event: &Event,
        sql: &'static str,
        id: Value,
    ) -> Result<Receipt> {
        if let Some(position) = ended {
            return Ok(Receipt { position, repeated: true });
        }
        let receipt = self.write(event).await?;
        self.db.execute(sql, &[self.campaign.into(), id, receipt.position.into()]).await?;
        Ok(receipt)
    }
}
