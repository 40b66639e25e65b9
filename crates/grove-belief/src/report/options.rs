use crate::{DOUBTFUL_BELOW, Error};

/// What a report mentions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReportOptions {
    pub(super) doubtful_below: f64,
    pub(super) alternatives_above: f64,
    pub(super) divided_above: f64,
    pub(super) least_votes: usize,
    pub(super) longest_list: usize,
}

impl Default for ReportOptions {
    /// Parents below [`DOUBTFUL_BELOW`] are doubtful, alternatives above 0.01 are listed, a question is called divided above 0.5, workers
    /// are judged after 10 votes, and no list of votes, questions, clashes or synonyms is longer than 50.
    fn default() -> Self {
        Self {
            doubtful_below: DOUBTFUL_BELOW,
            alternatives_above: 0.01,
            divided_above: 0.5,
            least_votes: 10,
            longest_list: 50,
        }
    }
}

impl ReportOptions {
    /// Concepts less certain than this are doubtful.
    ///
    /// # Errors
    /// [`Error::BadThreshold`] unless it is a probability; so for the others.
    pub fn doubtful_below(self, certainty: f64) -> Result<Self, Error> {
        Ok(Self { doubtful_below: probability(certainty)?, ..self })
    }

    /// Other parents more probable than this are listed as alternatives.
    ///
    /// # Errors
    /// As [`ReportOptions::doubtful_below`].
    pub fn alternatives_above(self, chance: f64) -> Result<Self, Error> {
        Ok(Self { alternatives_above: probability(chance)?, ..self })
    }

    /// Questions more probably divided than this are listed.
    ///
    /// # Errors
    /// As [`ReportOptions::doubtful_below`].
    pub fn divided_above(self, chance: f64) -> Result<Self, Error> {
        Ok(Self { divided_above: probability(chance)?, ..self })
    }

    /// Workers with fewer yes and no answers than this, gold ones among them, are not judged.
    #[must_use]
    pub fn least_votes(self, votes: usize) -> Self {
        Self { least_votes: votes, ..self }
    }

    /// The most doubtful votes, divided questions, clashes and synonyms that are listed, of each kind. The most important come first.
    #[must_use]
    pub fn longest_list(self, length: usize) -> Self {
        Self { longest_list: length, ..self }
    }
}

fn probability(value: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(Error::BadThreshold { what: "a threshold of probability must lie within 0 and 1", value })
    }
}
