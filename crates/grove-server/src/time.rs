use grove_store::Moment;
use jiff::Timestamp;

/// A moment in RFC 3339, to the second; the number of microseconds if no calendar reaches that far.
pub(crate) fn rfc3339(moment: Moment) -> String {
    format(moment, "%Y-%m-%dT%H:%M:%SZ").unwrap_or_else(|| moment.0.to_string())
}

/// A moment for people, to the minute.
pub(crate) fn readable(moment: Moment) -> String {
    format(moment, "%-d %b %Y, %H:%M UTC").unwrap_or_default()
}

/// A moment on a page: for people to the minute, and for programs to the second. A script makes "5 minutes ago" of it.
#[derive(Clone, Copy)]
pub(crate) struct Stamp(pub(crate) Moment);

impl Stamp {
    pub(crate) fn machine(self) -> String {
        rfc3339(self.0)
    }
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&readable(self.0))
    }
}

fn format(moment: Moment, pattern: &str) -> Option<String> {
    Some(Timestamp::from_microsecond(moment.0).ok()?.strftime(pattern).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_formatted_for_programs_and_for_people() {
        assert_eq!(rfc3339(Moment(1_000_000_000_000_000)), "2001-09-09T01:46:40Z");
        assert_eq!(readable(Moment(1_000_000_000_000_000)), "9 Sep 2001, 01:46 UTC");
        assert_eq!(rfc3339(Moment(i64::MAX)), i64::MAX.to_string());
    }
}
