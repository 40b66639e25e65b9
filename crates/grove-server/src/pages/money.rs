//! Amounts of money in the campaign's currency.

use grove_campaign::Settings;

/// Common signs; other currencies are written by their code, after the amount.
const SIGNS: [(&str, &str); 6] =
    [("USD", "$"), ("EUR", "€"), ("GBP", "£"), ("JPY", "¥"), ("INR", "₹"), ("CHF", "CHF ")];

/// The currency of a campaign; empty where none was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Currency(String);

impl Currency {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self(settings.currency.clone())
    }

    /// An amount in hundredths, as people write it.
    pub(crate) fn amount(&self, cents: f64) -> String {
        let number = format!("{:.2}", cents / 100.0);
        match SIGNS.iter().find(|(code, _)| *code == self.0) {
            Some((_, sign)) => format!("{sign}{number}"),
            None if self.0.is_empty() => number,
            None => format!("{number}\u{a0}{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_its_sign_or_its_code() {
        let amount = |code: &str| Currency(code.to_owned()).amount(320.4);
        assert_eq!(
            [amount("USD"), amount("EUR"), amount("SEK"), amount("")],
            ["$3.20", "€3.20", "3.20\u{a0}SEK", "3.20"]
        );
    }
}
