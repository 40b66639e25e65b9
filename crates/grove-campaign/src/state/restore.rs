//! Concepts that come back, with what went with them.

use grove_belief::{Kind, Question, Response, Screen};
use grove_store::Position;
use grove_tree::Concept;
use grove_vocabulary::Reply;

use super::{Change, Fate, State, VoteState};

impl State {
    /// Brings a concept back that was removed or merged into another. The evidence is collected again from the votes and corrections as
    /// they were made, and is the same as if the concept had never been gone.
    pub(super) fn restore(&mut self, number: u32, at: Position) -> Result<Option<Change>, String> {
        let concept = self.concepts.get(number).ok_or_else(|| format!("there is no concept {number}"))?;
        let gone_at = match concept.fate {
            Fate::Present => return Err(format!("concept {number} was there already")),
            Fate::Removed { at } | Fate::Merged { at, .. } => at,
        };
        self.concepts.begin_again(number);
        self.absences.push((gone_at, at));
        for correction in self.corrections.values_mut().filter(|one| one.undone == Some(gone_at)) {
            correction.undone = None;
        }
        self.collect_evidence(at)?;
        Ok(Some(Change::Rebuild))
    }

    /// Records all votes and corrections that count, as the present concepts let them be read. A correction that no longer fits the
    /// others ends at `at`.
    pub(super) fn collect_evidence(&mut self, at: Position) -> Result<(), String> {
        let mut evidence = self.empty_evidence(self.concepts.count())?;
        for hint in self.hints() {
            evidence.hint(hint).map_err(|error| error.to_string())?;
        }
        let believed: Vec<Option<Response>> =
            self.votes.all().iter().map(|vote| self.believed_now(vote)).collect();
        for (vote, believed) in self.votes.all_mut().zip(believed) {
            vote.evidence = believed.and_then(|believed| evidence.respond(believed).ok());
        }
        let mut standing: Vec<_> = self
            .corrections
            .values()
            .filter(|one| one.undone.is_none())
            .map(|one| (one.position, one.id))
            .collect();
        standing.sort_unstable();
        for (_, id) in standing {
            let Some(made) = self.corrections.get(&id).map(|one| one.made) else { continue };
            let now = made.try_map(|number| self.concepts.resolve(number).ok_or(())).ok();
            let recorded = match now.map(|now| (now, self.correction(now))) {
                Some((now, Ok(Some(believed)))) => evidence.correct(believed).ok().map(|id| (now, Some(id))),
                Some((now, Ok(None))) => Some((now, None)),
                _ => None,
            };
            if let Some(correction) = self.corrections.get_mut(&id) {
                match recorded {
                    Some((now, id)) => (correction.correction, correction.evidence) = (now, id),
                    None => (correction.undone, correction.evidence) = (Some(at), None),
                }
            }
        }
        self.evidence = Some(evidence);
        Ok(())
    }

    /// A vote in the belief's present numbers; none if it does not count, or what it is about is gone.
    fn believed_now(&self, vote: &VoteState) -> Option<Response> {
        if vote.withdrawn.is_some() || vote.excluded {
            return None;
        }
        let cast = vote.response.clone();
        let said = self.response(self.votes.worker(&cast.worker), cast.screen, cast.reply)?;
        let Screen::YesNo(question) = said.screen else { return Some(said) };
        let screen = Screen::YesNo(self.reading(question, &said.reply, vote.position)?);
        Some(Response { screen, ..said })
    }

    /// What an old vote says about the present concepts. "Directly under" becomes "somewhere under" if a concept has
    /// been added since that might stand between the two, and "not directly under" says nothing once a concept is
    /// gone that may have stood there.
    fn reading(&self, question: Question, reply: &Reply<Concept>, cast: Position) -> Option<Question> {
        if question.kind == Kind::Path {
            return Some(question);
        }
        let came_since =
            self.last_added > cast || self.absences.iter().any(|&(gone, back)| gone < cast && cast < back);
        let removed_since = |fate: Fate| matches!(fate, Fate::Removed { at } if at > cast);
        match reply {
            Reply::Yes if came_since => Question::path(question.upper, question.lower).ok(),
            Reply::No if self.concepts.all().iter().any(|concept| removed_since(concept.fate)) => None,
            _ => Some(question),
        }
    }
}
