//! Separators inside names: a backslash before one makes it part of the name.

/// The text with a backslash before every backslash and every separator.
pub(crate) fn escape(text: &str, separator: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\\' || c == separator {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The parts between separators, without their backslashes. Before any other character a backslash is just itself.
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
        fn joined_parts_split_again(parts in proptest::collection::vec(r"[a\\>|]{0,5}", 1..5)) {
            let joined = parts.iter().map(|part| escape(part, '>')).collect::<Vec<_>>().join(">");
            prop_assert_eq!(split(&joined, '>'), parts);
        }
    }
}
