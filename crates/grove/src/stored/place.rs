//! Where the database is.

/// In the current folder, unless something else is said.
const DEFAULT: &str = "grove.db";

/// The variable that says something else. It is read here and not by clap, whose help would print it, password and all.
const VARIABLE: &str = "GROVE_DATABASE";

/// As given, or as the environment says, or in the current folder.
pub(crate) fn of(given: Option<&str>) -> String {
    let named = || std::env::var(VARIABLE).ok().filter(|place| !place.is_empty());
    given.map(str::to_owned).or_else(named).unwrap_or_else(|| DEFAULT.to_owned())
}
