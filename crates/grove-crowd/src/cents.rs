use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An amount of money in whole cents of a panel's currency. Never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cents(pub u64);

impl Cents {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// This amount times `count`; `None` on overflow.
    #[must_use]
    pub fn times(self, count: u64) -> Option<Self> {
        self.0.checked_mul(count).map(Self)
    }

    /// The difference, or nothing if the other is larger.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The amount as panels write it where they want the main currency: `1.05` for 105 cents. Computed in whole numbers, so that no cent is lost.
    #[must_use]
    pub fn decimal(self) -> String {
        format!("{}.{:02}", self.0 / 100, self.0 % 100)
    }

    /// Reads an amount that a panel gives as a JSON number of cents. Panels write whole cents as `1200` or `1200.0`; part of a cent is
    /// counted as a whole one, since it is what we may have to pay.
    #[must_use]
    pub fn from_json_number(number: f64) -> Option<Self> {
        // Up to here every whole number is exact.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let up = (number - 1e-6).ceil();
        (number.is_finite() && (0.0..=LARGEST).contains(&number)).then_some(Self(up.max(0.0) as u64))
    }
}

impl FromStr for Cents {
    type Err = String;

    /// Reads an amount such as `1.50`, or `1,50`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not an amount of money: give one such as 1.50");
        let (whole, part) = text.trim().split_once(['.', ',']).unwrap_or((text.trim(), ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > 2 || !is_number(whole) || !is_number(part) {
            return Err(wrong());
        }
        let cents = format!("{whole}{part:0<2}").parse().map_err(|_| wrong())?;
        Ok(Self(cents))
    }
}

impl Add for Cents {
    type Output = Self;

    /// Saturates: a sum that large is over every budget.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.decimal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_to_the_cent() {
        let texts = [0, 5, 99, 100, 105, 123_456].map(|cents| Cents(cents).decimal());
        assert_eq!(texts, ["0.00", "0.05", "0.99", "1.00", "1.05", "1234.56"]);
    }

    #[test]
    fn amounts_are_read_as_people_write_them() {
        let read = ["1.50", "1,5", " 2 ", "0.05", "1234.56"].map(|text| text.parse::<Cents>());
        assert_eq!(read, [150, 150, 200, 5, 123_456].map(|cents| Ok(Cents(cents))));
        for text in ["", "1.505", "-1", ".5", "1e3", "99999999999999999999"] {
            assert!(text.parse::<Cents>().unwrap_err().contains("1.50"), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_cent_is_counted_as_a_whole_one() {
        let read = [0.0, 1200.0, 1200.4, 0.01, 1_200.000_000_1].map(Cents::from_json_number);
        assert_eq!(read, [0, 1200, 1201, 1, 1200].map(|cents| Some(Cents(cents))));
        assert_eq!([-1.0, f64::NAN, 1e300].map(Cents::from_json_number), [None; 3]);
    }
}
