use grove_belief::Money;

/// An amount of money in cents.
pub(crate) fn cents(money: Money) -> f64 {
    money.micros() as f64 / 1e4
}
