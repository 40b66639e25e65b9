//! Fees and tax of the sandbox: whole cents, halves rounded up, tax on the fee alone.

/// A share of an amount, in thousandths, to the nearest cent.
pub(crate) fn share(cents: i64, per_mille: i64) -> i64 {
    (cents * per_mille * 2 + 1000).div_euclid(2000)
}

/// What is taken from the balance for so much that people get.
pub(crate) fn with_fees(cents: i64, fee_per_mille: i64, tax_per_mille: i64) -> i64 {
    let fee = share(cents, fee_per_mille);
    cents + fee + share(fee, tax_per_mille)
}

/// Cents of a decimal amount such as `1.05`; `None` for anything else.
pub(crate) fn cents_of(text: &str) -> Option<i64> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 2 {
        return None;
    }
    let part = format!("{part:0<2}");
    Some(whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(share(100, 333), 33);
        assert_eq!(share(150, 333), 50);
        assert_eq!(with_fees(1000, 333, 200), 1000 + 333 + 67);
        assert_eq!(
            ["1.05", "2", "0.5", "12.345", "x", "", ".5"].map(cents_of),
            [Some(105), Some(200), Some(50), None, None, None, None]
        );
    }
}
