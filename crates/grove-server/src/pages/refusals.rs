//! Why fields of a form with settings are refused, each to be said beside its field.

use std::collections::BTreeMap;

use grove_campaign::{Error, Settings};

use super::layout::capitalised;
use super::options::NO_FORM;

/// Why fields are refused, by their names.
#[derive(Default, Debug)]
pub(super) struct Refusals(BTreeMap<&'static str, String>);

impl Refusals {
    /// One field that is refused.
    pub(super) fn of_field(field: &'static str, problem: &str) -> Self {
        Self(BTreeMap::from([(field, capitalised(problem))]))
    }

    pub(super) fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// What is wrong with the first of the fields.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.values().next().map(String::as_str)
    }

    #[cfg(test)]
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.keys().copied()
    }

    /// Parses a field that may be empty, and notes what is wrong with it.
    pub(super) fn number<T: std::str::FromStr>(&mut self, field: &'static str, text: &str) -> Option<T> {
        let text = text.trim().replace(',', ".");
        if text.is_empty() {
            return None;
        }
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.0.insert(field, format!("This must be a number, not “{text}”."));
        }
        parsed
    }

    /// Parses a field that must not be empty.
    pub(super) fn required<T: std::str::FromStr + Default>(&mut self, field: &'static str, text: &str) -> T {
        let parsed = self.number(field, text);
        if parsed.is_none() {
            self.0.entry(field).or_insert_with(|| "This must not be empty.".to_owned());
        }
        parsed.unwrap_or_default()
    }

    /// The settings that were read, unless a field was refused or they do not go together.
    pub(super) fn check(mut self, settings: Settings) -> Result<Settings, Self> {
        if settings.forms.is_empty() {
            self.0.insert("forms", NO_FORM.to_owned());
        }
        if self.0.is_empty()
            && let Err(error) = settings.check()
        {
            return Err(Self::from(error));
        }
        if self.0.is_empty() { Ok(settings) } else { Err(self) }
    }
}

impl From<Error> for Refusals {
    /// Blames the field that an error is about.
    fn from(error: Error) -> Self {
        match &error {
            Error::BadSetting { setting, problem } => {
                Self::of_field(field_of(setting).unwrap_or("title"), problem)
            }
            other => Self::of_field("root", &other.to_string()),
        }
    }
}

/// The field of a setting.
fn field_of(setting: &str) -> Option<&'static str> {
    const FIELDS: [(&str, &str); 14] = [
        ("title", "title"),
        ("root", "root"),
        ("relation", "relation"),
        ("language", "language"),
        ("forms", "forms"),
        // It is refused where it does not go with the forms.
        ("strategy", "forms"),
        ("most_options", "most_options"),
        ("currency", "currency"),
        ("price_cents", "price"),
        ("budget", "budget"),
        ("target", "target"),
        ("votes_per_question", "per_question"),
        ("questions_per_task", "per_task"),
        ("lease_seconds", "lease"),
    ];
    FIELDS.iter().find(|field| field.0 == setting).map(|field| field.1)
}
