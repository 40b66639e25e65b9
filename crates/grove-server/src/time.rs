use grove_store::Moment;
use jiff::Timestamp;

/// A moment as RFC 3339 writes it, to the second.
pub(crate) fn written(moment: Moment) -> String {
    match Timestamp::from_microsecond(moment.0) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        // Farther away than any calendar goes.
        Err(_) => moment.0.to_string(),
    }
}

/// A moment for people, to the minute.
pub(crate) fn spoken(moment: Moment) -> String {
    match Timestamp::from_microsecond(moment.0) {
        Ok(time) => time.strftime("%-d %b %Y, %H:%M UTC").to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_everybody_writes_them() {
        assert_eq!(written(Moment(1_000_000_000_000_000)), "2001-09-09T01:46:40Z");
        assert_eq!(spoken(Moment(1_000_000_000_000_000)), "9 Sep 2001, 01:46 UTC");
        assert_eq!(written(Moment(i64::MAX)), i64::MAX.to_string());
    }
}
