/// The lines that say something, trimmed at the end and numbered from 1; empty ones and those that begin with # say nothing.
pub(crate) fn telling(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.trim_start().starts_with('#'))
}

/// The columns of a line, if there are just this many and none is empty.
pub(crate) fn columns<const COUNT: usize>(line: &str) -> Option<[&str; COUNT]> {
    let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
    let columns: [&str; COUNT] = columns.try_into().ok()?;
    columns.iter().all(|column| !column.is_empty()).then_some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_what_says_nothing() {
        let text = " # comment\n\na\tb \r\n   \nc # d\te";
        assert_eq!(telling(text).collect::<Vec<_>>(), [(3, "a\tb"), (5, "c # d\te")]);
    }

    #[test]
    fn columns_are_counted() {
        assert_eq!(columns("a b\t c"), Some(["a b", "c"]));
        assert_eq!(columns::<2>("a\tb\tc"), None);
        assert_eq!(columns::<2>("a\t"), None);
        assert_eq!(columns::<2>("a b"), None);
    }
}
