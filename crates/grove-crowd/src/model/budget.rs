use crate::{Cents, Error, TokenPrice};

/// What a request has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl Usage {
    /// The most that a request can use. A token is at least one byte, so the bytes of a prompt bound its tokens; chat endpoints add a few around each
    /// message.
    #[must_use]
    pub fn most(prompt_bytes: usize, most_output: u32) -> Self {
        const FRAME: u64 = 64;
        Self { input: prompt_bytes as u64 + FRAME, output: u64::from(most_output) }
    }

    /// Tokens of prompt and answer together.
    #[must_use]
    pub fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// What it costs, in millionths of a cent.
    #[must_use]
    pub fn cost(self, price: TokenPrice) -> u64 {
        self.input.saturating_mul(price.input).saturating_add(self.output.saturating_mul(price.output))
    }

    /// The sum of two usages.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// Where it is written down what a question may use, before it is sent.
///
/// Only what is written down where every program looks can keep the sum over several programs and over restarts within a limit.
pub trait Budget: Sync {
    /// Reserves the most that the question can have used once it is sent (again), over all attempts, and what that costs in millionths of a cent. It
    /// replaces what was reserved for the question before.
    ///
    /// # Errors
    /// [`Error::OverBudget`] or [`Error::NotReserved`]; then nothing is sent.
    fn reserve(&self, most: Usage, cost: u64) -> impl Future<Output = Result<(), Error>> + Send;
}

/// What a model may use; unlimited if neither is set. As a [`Budget`], it limits a single question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpendingLimit {
    /// The most money.
    pub money: Option<Cents>,
    /// The most tokens.
    pub tokens: Option<u64>,
}

/// Millionths of a cent in a cent.
const MICROS: u64 = 1_000_000;

impl SpendingLimit {
    /// The most money, in millionths of a cent.
    #[must_use]
    pub fn cost(self) -> Option<u64> {
        self.money.map(|money| money.0.saturating_mul(MICROS))
    }

    /// Checks whether `more` fits beside what is used or reserved already; each is a number of tokens and what they cost, in millionths of a cent.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if it does not.
    pub fn check(self, used: (u64, u64), more: (u64, u64)) -> Result<(), Error> {
        if let Some(limit) = self.tokens.filter(|limit| used.0.saturating_add(more.0) > *limit) {
            return Err(Error::OverBudget(format!(
                "the next question could exceed the budget of {limit} tokens ({} are used); raise most_tokens to go on",
                used.0
            )));
        }
        if self.cost().is_some_and(|limit| used.1.saturating_add(more.1) > limit) {
            return Err(Error::OverBudget(format!(
                "the next question could exceed the budget of {} ({} is spent); raise most_cents to go on",
                self.money.unwrap_or_default(),
                Cents(used.1.div_ceil(MICROS))
            )));
        }
        Ok(())
    }
}

impl Budget for SpendingLimit {
    async fn reserve(&self, most: Usage, cost: u64) -> Result<(), Error> {
        self.check((0, 0), (most.tokens(), cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_money_are_limits_to_the_last() {
        let both = SpendingLimit { money: Some(Cents(1)), tokens: Some(1_000) };
        assert_eq!(both.check((900, 0), (100, MICROS)), Ok(()));
        for (used, more, words) in [
            ((900, 0), (101, 0), "1000 tokens (900 are used)"),
            ((0, 1), (1, MICROS), "0.01 (0.01 is spent)"),
            ((u64::MAX, 0), (1, 0), "tokens"),
            ((0, u64::MAX), (0, 1), "most_cents"),
        ] {
            let error = both.check(used, more).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(SpendingLimit::default().check((u64::MAX, u64::MAX), (1, 1)), Ok(()));
    }

    #[test]
    fn the_most_of_a_question_costs_what_its_tokens_cost() {
        let price = TokenPrice::per_million(2.5, 10.0).unwrap();
        let most = Usage::most(100, 8);
        // 164 tokens at 250 and 8 at 1,000 millionths of a cent.
        assert_eq!((most.tokens(), most.cost(price)), (172, 164 * 250 + 8 * 1_000));
    }
}
