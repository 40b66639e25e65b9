use crate::sql::{Connection, Row, values};
use crate::votes::{self, Found};
use crate::{
    Actor, CampaignId, CorrectionId, Entry, Error, Event, HolderId, Moment, Position, Store, SubmittedVote,
    VoteId,
};

/// Where something stands in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// Its position.
    pub position: Position,
    /// Whether it had been written before, so that nothing was written now.
    pub repeated: bool,
}

impl Store {
    /// Appends events to a campaign's log: all of them, or none. On return they are on disk.
    ///
    /// A vote or a correction that was sent before, with the same id and content, is not written again: its receipt says where
    /// it stands. The same goes for the withdrawal of a withdrawn vote.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`]; [`Error::Conflict`] for an id used with other content; [`Error::AlreadyAnswered`];
    /// [`Error::WrongConceptNumber`]; [`Error::BadConcept`]; [`Error::Unknown`] vote or correction, which a worker also gets for the vote of
    /// another; [`Error::NotAppended`] for events that have a method of their own.
    pub async fn append(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        events: Vec<Event>,
    ) -> Result<Vec<Receipt>, Error> {
        self.write(campaign.0, move |db| {
            Box::pin(async move {
                let mut pen = Pen::take(db, campaign, at, actor).await?;
                let mut receipts = Vec::with_capacity(events.len());
                for event in &events {
                    receipts.push(pen.append(event).await?);
                }
                pen.put_down().await?;
                Ok(receipts)
            })
        })
        .await
    }

    /// Records a vote and ends the worker's lease on the question. On return the vote is on disk. A vote without a lease, or after its
    /// lease has ended, counts like any other.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn cast(
        &self,
        campaign: CampaignId,
        at: Moment,
        vote: SubmittedVote,
    ) -> Result<Receipt, Error> {
        let (worker, question) = (vote.vote.worker.clone(), vote.vote.question);
        let receipt = self.write_vote(campaign, at, vote).await?;
        // The vote counts; a lease that stays by mishap ends by itself.
        let _ = self.end_lease(campaign, &worker, question).await;
        Ok(receipt)
    }

    /// Takes a vote back: a worker their own, anybody else any.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn withdraw(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        vote: VoteId,
    ) -> Result<Receipt, Error> {
        self.append_one(campaign, at, actor, Event::VoteWithdrawn { vote }).await
    }

    async fn append_one(
        &self,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
        event: Event,
    ) -> Result<Receipt, Error> {
        let receipts = self.append(campaign, at, actor, vec![event]).await?;
        receipts.first().copied().ok_or(Error::Closed)
    }

    /// Writes that the belief has read the log up to `votes_to`. Only the holder of the belief may, and only forwards: so replay
    /// meets the records of one belief after the other and never of two at once.
    ///
    /// # Errors
    /// [`Error::NotTheHolder`] if another program has taken the belief, [`Error::BadAdvance`], [`Error::UnknownCampaign`].
    pub async fn advance(
        &self,
        campaign: CampaignId,
        at: Moment,
        holder: HolderId,
        votes_to: Position,
        work: serde_json::Value,
    ) -> Result<Receipt, Error> {
        self.write(campaign.0, move |db| {
            Box::pin(async move {
                let mut pen = Pen::take(db, campaign, at, Actor::Grove).await?;
                let held = "SELECT campaign FROM holders WHERE campaign = $1 AND holder = $2";
                pen.db.row(held, values![campaign, holder]).await?.ok_or(Error::NotTheHolder)?;
                if votes_to < pen.advanced || votes_to > pen.head {
                    return Err(Error::BadAdvance { to: votes_to, from: pen.advanced, head: pen.head });
                }
                pen.advanced = votes_to;
                let position = pen.write(&Event::Advanced { votes_to, work }).await?;
                pen.put_down().await?;
                Ok(Receipt { position, repeated: false })
            })
        })
        .await
    }

    /// The entries after a position, at most `limit` of them, in order.
    ///
    /// # Errors
    /// [`Error::Damaged`] for an entry that cannot be read. An unknown campaign has an empty log.
    pub async fn log(&self, campaign: CampaignId, after: Position, limit: u32) -> Result<Vec<Entry>, Error> {
        entries(&mut self.reader().await?, campaign, after, limit).await
    }
}

pub(crate) async fn entries(
    db: &mut Connection,
    campaign: CampaignId,
    after: Position,
    limit: u32,
) -> Result<Vec<Entry>, Error> {
    let rows = db
        .rows(
            "SELECT position, at, actor, body FROM log WHERE campaign = $1 AND position > $2
             ORDER BY position LIMIT $3",
            values![campaign, after, limit],
        )
        .await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<Entry, Error> {
    let position = Position(row.get(0)?);
    let event = Event::from_json(&row.get::<String>(3)?)
        .map_err(|error| Error::damaged(format!("entry {position} cannot be read ({error})")))?;
    Ok(Entry { position, at: Moment(row.get(1)?), actor: row.get::<String>(2)?.parse()?, event })
}

/// Positions at which entries have to be written before the transaction ends.
pub(crate) struct MadeRoom {
    /// The one before them.
    pub(crate) after: Position,
    /// How many concepts the campaign has.
    pub(crate) concepts: u32,
}

/// Locks the campaign's row and moves the end of its log on by so many entries, in one statement.
pub(crate) async fn make_room(
    db: &mut Connection,
    campaign: CampaignId,
    entries: i64,
) -> Result<MadeRoom, Error> {
    let sql = "UPDATE campaigns SET head = head + $2 WHERE id = $1 RETURNING head, concepts";
    let row = db.row(sql, values![campaign, entries]).await?.ok_or(Error::UnknownCampaign(campaign))?;
    Ok(MadeRoom { after: Position(row.get::<i64>(0)? - entries), concepts: row.small(1)? })
}

/// The root may only stand above: as the upper concept of a vote or of a correction.
pub(crate) fn check_concepts(event: &Event, known: u32) -> Result<(), Error> {
    let concepts = event.concepts();
    let root_may_be_second = matches!(event, Event::VoteCast(_) | Event::CorrectionMade { .. });
    for (place, &concept) in concepts.iter().enumerate() {
        let root_is_fine = place == 1 && root_may_be_second;
        if concept > known || (concept == 0 && !root_is_fine) {
            return Err(Error::BadConcept(concept));
        }
    }
    match concepts[..] {
        [first, second] if first == second => Err(Error::BadConcept(first)),
        _ => Ok(()),
    }
}

/// The right to append to one campaign, until the end of the transaction.
pub(crate) struct Pen<'c> {
    pub(crate) db: &'c mut Connection,
    pub(crate) campaign: CampaignId,
    at: Moment,
    actor: Actor,
    pub(crate) head: Position,
    concepts: u32,
    advanced: Position,
}

impl<'c> Pen<'c> {
    /// Locks the campaign's row and reads where its log ends. (In SQLite the whole transaction holds the lock.)
    pub(crate) async fn take(
        db: &'c mut Connection,
        campaign: CampaignId,
        at: Moment,
        actor: Actor,
    ) -> Result<Self, Error> {
        let lock = db.either(
            "SELECT head, concepts, advanced FROM campaigns WHERE id = $1",
            "SELECT head, concepts, advanced FROM campaigns WHERE id = $1 FOR UPDATE",
        );
        let row = db.row(lock, values![campaign]).await?.ok_or(Error::UnknownCampaign(campaign))?;
        let (head, advanced) = (Position(row.get(0)?), Position(row.get(2)?));
        Ok(Self { db, campaign, at, actor, head, concepts: row.small(1)?, advanced })
    }

    /// Writes down where the log ends now.
    pub(crate) async fn put_down(self) -> Result<(), Error> {
        self.db
            .execute(
                "UPDATE campaigns SET head = $2, concepts = $3, advanced = $4 WHERE id = $1",
                values![self.campaign, self.head, self.concepts, self.advanced],
            )
            .await
            .map(drop)
    }

    /// Checks an event against what is stored, writes it, and brings the tables beside the log in line with it.
    pub(crate) async fn append(&mut self, event: &Event) -> Result<Receipt, Error> {
        check_concepts(event, self.concepts)?;
        match event {
            Event::ConceptAdded { concept, .. } => self.count_concept(*concept)?,
            Event::VoteCast(vote) => return self.cast(vote, event).await,
            Event::VoteWithdrawn { vote } => return self.withdraw(*vote, event).await,
            Event::CorrectionMade { id, .. } => return self.correct(*id, event).await,
            Event::CorrectionTakenBack { correction } => return self.take_back(*correction, event).await,
            Event::Advanced { .. } | Event::WorkerErased { .. } => {
                return Err(Error::NotAppended(event.name()));
            }
            _ => {}
        }
        self.write(event).await.map(new)
    }

    /// Writes an entry at the next position.
    pub(crate) async fn write(&mut self, event: &Event) -> Result<Position, Error> {
        let position = self.head.next();
        self.db
            .execute(
                "INSERT INTO log (campaign, position, at, actor, kind, body) VALUES ($1, $2, $3, $4, $5, $6)",
                values![
                    self.campaign,
                    position,
                    self.at,
                    self.actor.to_string(),
                    event.name(),
                    event.to_json()
                ],
            )
            .await?;
        self.head = position;
        Ok(position)
    }

    fn count_concept(&mut self, concept: u32) -> Result<(), Error> {
        let expected = self.concepts + 1;
        if concept != expected {
            return Err(Error::WrongConceptNumber { expected, found: concept });
        }
        self.concepts = expected;
        Ok(())
    }

    async fn cast(&mut self, vote: &SubmittedVote, event: &Event) -> Result<Receipt, Error> {
        match votes::find(self.db, self.campaign, vote).await? {
            Found::Same(position) => return Ok(Receipt { position, repeated: true }),
            Found::OtherContent => return Err(Error::Conflict),
            Found::Answered(earlier) => {
                return Err(Error::AlreadyAnswered { vote: earlier, question: vote.vote.question });
            }
            Found::Nothing => {}
        }
        let position = self.write(event).await?;
        votes::insert(self.db, self.campaign, vote, position).await?;
        Ok(new(position))
    }

    async fn withdraw(&mut self, vote: VoteId, event: &Event) -> Result<Receipt, Error> {
        let row = self
            .db
            .row(
                "SELECT worker, withdrawn FROM votes WHERE campaign = $1 AND vote = $2",
                values![self.campaign, vote],
            )
            .await?
            .ok_or(Error::Unknown("vote"))?;
        if let Actor::Worker(worker) = &self.actor
            && worker.as_str() != row.get::<String>(0)?
        {
            return Err(Error::Unknown("vote"));
        }
        if let Some(position) = row.get::<Option<i64>>(1)? {
            return Ok(Receipt { position: Position(position), repeated: true });
        }
        let position = self.write(event).await?;
        self.db
            .execute(
                "UPDATE votes SET withdrawn = $3 WHERE campaign = $1 AND vote = $2",
                values![self.campaign, vote, position],
            )
            .await?;
        Ok(new(position))
    }

    async fn correct(&mut self, correction: CorrectionId, event: &Event) -> Result<Receipt, Error> {
        let made = "SELECT log.position, log.body FROM corrections, log
                    WHERE corrections.campaign = $1 AND corrections.correction = $2
                      AND log.campaign = corrections.campaign AND log.position = corrections.position";
        if let Some(row) = self.db.row(made, values![self.campaign, correction]).await? {
            let same = row.get::<String>(1)? == event.to_json();
            let receipt = Receipt { position: Position(row.get(0)?), repeated: true };
            return if same { Ok(receipt) } else { Err(Error::Conflict) };
        }
        let position = self.write(event).await?;
        self.db
            .execute(
                "INSERT INTO corrections (campaign, correction, position) VALUES ($1, $2, $3)",
                values![self.campaign, correction, position],
            )
            .await?;
        Ok(new(position))
    }

    async fn take_back(&mut self, correction: CorrectionId, event: &Event) -> Result<Receipt, Error> {
        let made = "SELECT taken_back FROM corrections WHERE campaign = $1 AND correction = $2";
        let row = self.db.row(made, values![self.campaign, correction]).await?;
        let taken_back = row.ok_or(Error::Unknown("correction"))?.get::<Option<i64>>(0)?;
        if let Some(position) = taken_back {
            return Ok(Receipt { position: Position(position), repeated: true });
        }
        let position = self.write(event).await?;
        self.db
            .execute(
                "UPDATE corrections SET taken_back = $3 WHERE campaign = $1 AND correction = $2",
                values![self.campaign, correction, position],
            )
            .await?;
        Ok(new(position))
    }
}

fn new(position: Position) -> Receipt {
    Receipt { position, repeated: false }
}
