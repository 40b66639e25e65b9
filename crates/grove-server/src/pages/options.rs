//! What owners choose from.

/// The languages in which questions are worded and the page for workers is written.
pub(super) const LANGUAGES: &[(&str, &str)] =
    &[("en", "English"), ("de", "Deutsch"), ("fr", "Français"), ("ar", "العربية")];

/// Currencies that are offered; any other code of three letters will do.
pub(super) const CURRENCIES: &[&str] =
    &["USD", "EUR", "GBP", "CHF", "JPY", "INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "BRL", "KES"];
