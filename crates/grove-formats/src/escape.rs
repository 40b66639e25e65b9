//! Escaping that several formats share.

/// The text with a backslash before every backslash and every separator.
pub(crate) fn escape(text: &str, separator: char) -> String {
    text.replace('\\', r"\\").replace(separator, &format!("\\{separator}"))
}

/// The parts between separators, without their backslashes. A backslash before any other character is itself.
pub(crate) fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let part = parts.last_mut().expect("there is always a last part");
        match c {
            '\\' => part
                .push(chars.next_if(|&next| next == '\\' || next == separator || next == '#').unwrap_or(c)),
            _ if c == separator => parts.push(String::new()),
            _ => part.push(c),
        }
    }
    parts
}

/// A cell that no spreadsheet takes for a formula: with an apostrophe in front if it looks like one, or like one that has an apostrophe already.
pub(crate) fn no_formula(text: &str) -> String {
    if looks_like_formula(text) { format!("'{text}") } else { text.to_owned() }
}

/// The text of a cell that [`no_formula`] wrote, or that a spreadsheet did.
pub(crate) fn from_no_formula(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| looks_like_formula(rest)).unwrap_or(text)
}

fn looks_like_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A text in double quotes, with backslashes before quotes and backslashes inside.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text, '"'))
}

/// A cell of CSV or TSV, in double quotes if it contains one or `must_quote` says so.
pub(crate) fn cell(text: &str, must_quote: bool) -> String {
    let quote = must_quote || text.contains('"');
    if quote { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Text for XML and HTML, in elements and in quoted attributes.
pub(crate) fn xml(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plain_backslash_stays() {
        assert_eq!(split(r"a\b>c\>d", '>'), [r"a\b", "c>d"]);
    }

    proptest! {
        #[test]
        fn no_cell_is_a_formula_and_all_are_read_back(text in "['=+@a-]{0,6}") {
            let written = no_formula(&text);
            prop_assert!(!written.starts_with(['=', '+', '-', '@']));
            prop_assert_eq!(from_no_formula(&written), text);
        }

        #[test]
        fn joined_parts_split_again(parts in proptest::collection::vec(r"[a\\>|]{0,5}", 1..5)) {
            let joined = parts.iter().map(|part| escape(part, '>')).collect::<Vec<_>>().join(">");
            prop_assert_eq!(split(&joined, '>'), parts);
        }
    }
}
