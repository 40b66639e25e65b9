use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide a text is drawn, about: a sans-serif letter is on average 0.56 of its size wide, and wide characters
/// twice that. Too wide is harmless, too narrow would let names run into lines.
pub(crate) fn width(text: &str, font_size: f64) -> f64 {
    0.56 * font_size * text.width() as f64
}

/// The text cut to so many columns, with an ellipsis, at a word's end where one is near.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < columns
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    if let Some(space) = cut.rfind(' ').filter(|&space| space > cut.len() * 2 / 3) {
        cut.truncate(space);
    }
    // A joiner left at the end would join the ellipsis.
    format!("{}…", cut.trim_end_matches(['\u{200d}', '\u{200c}', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_at_a_word() {
        assert_eq!(shorten("apple", 5), "apple");
        assert_eq!(shorten("apple pie", 6), "apple…");
        assert_eq!(shorten("a very long name indeed", 20), "a very long name…");
        assert_eq!(shorten("パイナップル", 7), "パイナ…");
        assert!(shorten("パイナップル", 7).width() <= 7);
    }
}
