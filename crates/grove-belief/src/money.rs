use std::fmt;

/// An amount of money, in millionths of whatever currency the caller pays in. Whole numbers, so that sums are exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Money(u64);

impl Money {
    /// An amount in millionths.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// An amount in hundredths.
    #[must_use]
    pub const fn from_cents(cents: u32) -> Self {
        Self(cents as u64 * 10_000)
    }

    /// The amount in millionths.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// The sum; `None` on overflow.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The price of `count` things at this price each; `None` on overflow.
    #[must_use]
    pub fn times(self, count: u64) -> Option<Self> {
        self.0.checked_mul(count).map(Self)
    }
}

impl fmt::Display for Money {
    /// Two decimals, or more where needed: "0.50", "0.125".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % 1_000_000);
        let beyond_cents = decimals[2..].trim_end_matches('0');
        write!(f, "{}.{}{beyond_cents}", self.0 / 1_000_000, &decimals[..2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_as_many_decimals_as_there_are() {
        let shown = [(0, "0.00"), (500_000, "0.50"), (125_000, "0.125"), (12_000_001, "12.000001")];
        for (micros, text) in shown {
            assert_eq!(Money::from_micros(micros).to_string(), text);
        }
        assert_eq!(Money::from_cents(1_234).to_string(), "12.34");
    }

    #[test]
    fn sums_do_not_wrap() {
        let most = Money::from_micros(u64::MAX);
        assert_eq!((most.plus(Money::from_micros(1)), most.times(2)), (None, None));
        assert_eq!(Money::from_cents(10).times(3), Some(Money::from_cents(30)));
        assert_eq!(Money::from_cents(10).plus(Money::from_cents(3)), Some(Money::from_cents(13)));
    }
}
