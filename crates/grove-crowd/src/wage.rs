//! Pay by measured time, and how many people the money is enough for.

use crate::Cents;

const SECONDS_PER_HOUR: u64 = 3_600;

/// The reward for a task of so many seconds at an hourly wage, rounded up.
#[must_use]
pub fn reward(seconds: u64, hourly: Cents) -> Option<Cents> {
    let product = seconds.checked_mul(hourly.0)?;
    Some(Cents(product.div_ceil(SECONDS_PER_HOUR).max(1)))
}

/// The hourly wage of a reward for a task of so many seconds, rounded down. `None` for no time at all.
#[must_use]
pub fn hourly(reward: Cents, seconds: u64) -> Option<Cents> {
    reward.0.checked_mul(SECONDS_PER_HOUR)?.checked_div(seconds).map(Cents)
}

/// The median of some times, the upper one of two; `None` of none.
#[must_use]
pub fn median(times: &mut [u64]) -> Option<u64> {
    let middle = times.len() / 2;
    (!times.is_empty()).then(|| *times.select_nth_unstable(middle).1)
}

/// How many places a study should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The places it has.
    pub places: u32,
    /// The people who have finished or are answering.
    pub taken: u32,
    /// How many more answers the forecast says are needed; none if there is no forecast.
    pub answers_needed: Option<u64>,
    /// Answers per person.
    pub answers_each: u32,
    /// The most places the owner wants.
    pub most: u32,
}

/// How many people to add at a time: a panel fills places in minutes, and every batch is chosen with more knowledge than the one before.
const STEP: u32 = 10;

impl Growth {
    /// How many places there should be, before the budget is asked. Never fewer than there are, since places can only grow; one step at a time, and
    /// only when most places are taken.
    #[must_use]
    pub fn wanted(&self) -> u32 {
        let (Some(needed), true) = (self.answers_needed, self.answers_each > 0) else { return self.places };
        let open = self.places.saturating_sub(self.taken);
        let people = u32::try_from(needed.div_ceil(u64::from(self.answers_each))).unwrap_or(u32::MAX);
        if people <= open || open > STEP / 2 {
            return self.places;
        }
        let step = (people - open).min(STEP);
        self.places.saturating_add(step).min(self.most).max(self.places)
    }
}

/// A search for the most places whose price is within a budget, by asking for the price of about log2 of them. A price must not fall when places are
/// added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affordable {
    budget: Cents,
    least: u32,
    most: u32,
    /// The most known to be within the budget; one less than `least` if none is.
    good: u32,
    /// The least known to be above it; one more than `most` if none is.
    bad: u32,
}

impl Affordable {
    /// A search from `least`, which is at least 1, to `most` places.
    #[must_use]
    pub fn new(least: u32, most: u32, budget: Cents) -> Self {
        let (least, most) = (least.max(1), most.min(u32::MAX - 1));
        Self { budget, least, most, good: least - 1, bad: most.max(least - 1) + 1 }
    }

    /// The number of places whose price is needed next; `None` when the search is over.
    #[must_use]
    pub fn wanted(&self) -> Option<u32> {
        let is_open = self.bad - self.good > 1;
        // Most often all of them are within the budget.
        let next = if self.bad > self.most { self.most } else { self.good + (self.bad - self.good) / 2 };
        is_open.then_some(next)
    }

    /// Takes in the price of so many places.
    pub fn told(&mut self, places: u32, price: Cents) {
        if price <= self.budget { self.good = self.good.max(places) } else { self.bad = self.bad.min(places) }
    }

    /// The most places within the budget, if any.
    #[must_use]
    pub fn found(&self) -> Option<u32> {
        (self.good >= self.least).then_some(self.good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pay_is_never_below_the_wage() {
        assert_eq!(reward(300, Cents(1200)), Some(Cents(100)));
        assert_eq!(reward(301, Cents(1200)), Some(Cents(101)));
        assert_eq!(hourly(Cents(101), 301), Some(Cents(1207)));
        assert_eq!(hourly(Cents(1), 0), None);
        for seconds in 1..2_000 {
            let wage = hourly(reward(seconds, Cents(1234)).unwrap(), seconds).unwrap();
            assert!(wage >= Cents(1234), "{seconds} s: {wage}");
        }
        assert_eq!(reward(u64::MAX, Cents(2)), None);
        assert_eq!([median(&mut []), median(&mut [5]), median(&mut [9, 1, 5])], [None, Some(5), Some(5)]);
    }

    #[test]
    fn places_grow_by_the_forecast_and_a_step_at_a_time() {
        let growth = Growth { places: 20, taken: 18, answers_needed: Some(100), answers_each: 10, most: 40 };
        assert_eq!(growth.wanted(), 28);
        assert_eq!(Growth { answers_needed: Some(1000), ..growth }.wanted(), 30);
        assert_eq!(Growth { answers_needed: Some(20), ..growth }.wanted(), 20);
        assert_eq!(Growth { answers_needed: None, ..growth }.wanted(), 20);
        assert_eq!(Growth { taken: 5, ..growth }.wanted(), 20);
        assert_eq!(Growth { most: 23, ..growth }.wanted(), 23);
        assert_eq!(Growth { most: 10, ..growth }.wanted(), 20);
    }

    #[test]
    fn finds_how_many_the_budget_is_enough_for() {
        let find = |least, most, budget| {
            let (mut search, mut asked) = (Affordable::new(least, most, Cents(budget)), 0);
            while let Some(places) = search.wanted() {
                assert!((least..=most).contains(&places));
                search.told(places, Cents(u64::from(places) * 133));
                asked += 1;
            }
            assert!(asked <= 8, "{asked}");
            search.found()
        };
        assert_eq!(find(1, 50, 1330), Some(10));
        assert_eq!(find(1, 50, 132), None);
        assert_eq!(find(1, 50, 133), Some(1));
        assert_eq!(find(1, 50, 1_000_000), Some(50));
        assert_eq!(find(5, 4, 1_000_000), None);
        assert_eq!(find(21, 30, 133 * 25), Some(25));
        assert_eq!(find(21, 30, 133 * 20), None);
    }
}
