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

/// What a model may use in a campaign; unlimited if neither is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpendingLimit {
    /// The most money.
    pub money: Option<Cents>,
    /// The most tokens.
    pub tokens: Option<u64>,
}

/// Millionths of a cent in a cent.
const MICROS: u64 = 1_000_000;

/// What a model has used, and what requests under way may still use.
///
/// A request is sent only if the most that it can use fits beside all others under way, so that however many there are at once, the limit holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spending {
    limit: SpendingLimit,
    price: TokenPrice,
    used: Usage,
    reserved: Usage,
}

/// What a request under way may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Reservation(Usage);

impl Spending {
    /// With what was used before.
    #[must_use]
    pub fn new(limit: SpendingLimit, price: TokenPrice, used: Usage) -> Self {
        Self { limit, price, used, reserved: Usage::default() }
    }

    /// What was used.
    #[must_use]
    pub fn used(&self) -> Usage {
        self.used
    }

    /// What it cost, in millionths of a cent.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.used.cost(self.price)
    }

    /// Reserves the most that a request can use.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if that is more than is left.
    pub fn reserve(&mut self, most: Usage) -> Result<Reservation, Error> {
        let all = self.used.plus(self.reserved).plus(most);
        if self.limit.tokens.is_some_and(|limit| all.tokens() > limit) {
            return Err(Error::OverBudget(format!(
                "the next question could exceed the budget of {} tokens ({} are used); raise most_tokens to go on",
                self.limit.tokens.unwrap_or_default(),
                self.used.tokens()
            )));
        }
        let limit = self.limit.money.map(|money| money.0.saturating_mul(MICROS));
        if limit.is_some_and(|limit| all.cost(self.price) > limit) {
            return Err(Error::OverBudget(format!(
                "the next question could exceed the budget of {} ({} is spent); raise most_cents to go on",
                self.limit.money.unwrap_or_default(),
                Cents(self.cost().div_ceil(MICROS))
            )));
        }
        self.reserved = self.reserved.plus(most);
        Ok(Reservation(most))
    }

    /// Replaces a reservation by what was used, and returns that: all of the reservation where the endpoint does not say, since it may have been used.
    pub fn settle(&mut self, reservation: Reservation, used: Option<Usage>) -> Usage {
        let Reservation(most) = reservation;
        self.reserved.input = self.reserved.input.saturating_sub(most.input);
        self.reserved.output = self.reserved.output.saturating_sub(most.output);
        let used = used.unwrap_or(most);
        self.used = self.used.plus(used);
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_at_once_cannot_exceed_the_budget() {
        let limit = SpendingLimit { money: None, tokens: Some(1_000) };
        let mut spending = Spending::new(limit, TokenPrice::default(), Usage::default());
        let all: Vec<Reservation> =
            std::iter::from_fn(|| spending.reserve(Usage::most(100, 8)).ok()).collect();
        assert_eq!(all.len(), 1_000 / 172);
        for reservation in all {
            spending.settle(reservation, Some(Usage { input: 30, output: 1 }));
        }
        assert_eq!(spending.used().tokens(), 5 * 31);
        assert!(spending.reserve(Usage::most(100, 8)).is_ok());
    }

    #[test]
    fn money_ends_it_too() {
        let limit = SpendingLimit { money: Some(Cents(1)), tokens: None };
        let price = TokenPrice::per_million(2.5, 10.0).unwrap();
        let mut spending = Spending::new(limit, price, Usage::default());
        let mut asked = 0;
        while let Ok(reservation) = spending.reserve(Usage::most(100, 8)) {
            spending.settle(reservation, None);
            asked += 1;
        }
        // 164 tokens at 250 and 8 at 1,000 millionths of a cent.
        assert_eq!(asked, 1_000_000 / (164 * 250 + 8 * 1_000));
        assert!(spending.cost() <= MICROS);
        let mut free = Spending::new(limit, TokenPrice::default(), Usage::default());
        let reservation = free.reserve(Usage::most(1 << 40, 8)).unwrap();
        free.settle(reservation, Some(Usage::default()));
        assert_eq!(free.used(), Usage::default());
    }
}
