use std::sync::Arc;

use crate::name::is_forbidden;
use crate::{Error, ErrorKind, Place, Result};

/// One input: a file's name and its text. The caller reads the file, and errors name it.
///
/// Lines may end in LF, CRLF or CR, and a byte order mark is skipped.
///
/// ```
/// use grove_formats::Source;
/// let broken = Source::new("food.txt", b"apple\ncaf\xe9\n").unwrap_err();
/// assert_eq!(broken.to_string(), "food.txt, line 2: this line is not UTF-8 text; save the file as UTF-8");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    name: Arc<str>,
    text: String,
}

impl Source {
    /// Decodes a file's bytes as text.
    ///
    /// # Errors
    /// [`ErrorKind::NotUtf8`] or [`ErrorKind::ControlCharacter`], with the line.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Result<Self> {
        let name: String = name.into();
        let at_end_of = |text: &str, kind: ErrorKind| {
            let line = text.replace("\r\n", "\n").matches(['\n', '\r']).count() + 1;
            kind.at(&Place::file(&name).line(line))
        };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            at_end_of(&String::from_utf8_lossy(&bytes[..error.valid_up_to()]), ErrorKind::NotUtf8)
        })?;
        if let Some((before, found)) = text.char_indices().find(|&(_, c)| c != '\r' && is_forbidden(c)) {
            return Err(at_end_of(&text[..before], ErrorKind::ControlCharacter(found)));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        Ok(Self { name: name.into(), text })
    }

    /// The text, with LF between the lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file as a place.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { file: Some(self.name.clone()), line: None }
    }

    /// An error that concerns the file as a whole.
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        kind.at(&self.place())
    }

    /// The ending of the file's name, in lower case: "csv".
    pub(crate) fn extension(&self) -> String {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        file.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_lowercase())
    }

    /// The trimmed lines with their numbers, without empty lines and comments (#).
    pub(crate) fn content_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// Finds the lines of bytes, from the first byte to the last.
    pub(crate) fn line_counter(&self) -> LineCounter<'_> {
        LineCounter { text: self.text.as_bytes(), line: 1, counted: 0 }
    }

    /// Checks that the file is not blank.
    pub(crate) fn require(&self, expected: &'static str) -> Result<()> {
        if self.text.trim().is_empty() { Err(self.error(ErrorKind::Empty(expected))) } else { Ok(()) }
    }
}

/// Counts lines as it goes, so that finding the lines of all items costs O(text) in total.
pub(crate) struct LineCounter<'a> {
    text: &'a [u8],
    line: usize,
    counted: usize,
}

impl LineCounter<'_> {
    /// The line of a byte that is not before the last one asked for.
    pub(crate) fn line_at(&mut self, byte: usize) -> usize {
        self.line += self.text[self.counted..byte].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = byte;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_windows_files() {
        let source = Source::new("a.txt", "\u{feff}apple\r\npear\rplum".as_bytes()).unwrap();
        assert_eq!(source.text(), "apple\npear\nplum");
        assert_eq!(source.extension(), "txt");
        assert_eq!(Source::new("dir.d/none", b"").unwrap().extension(), "");
    }

    #[test]
    fn names_the_line_of_a_bad_byte() {
        let place = |bytes: &[u8]| Source::new("a", bytes).unwrap_err().to_string();
        assert_eq!(place(b"a\r\nb\n\xff"), "a, line 3: this line is not UTF-8 text; save the file as UTF-8");
        assert_eq!(
            place(b"a\nb\x1b[2J\n"),
            "a, line 2: this line contains the control character U+001B; remove it"
        );
        assert_eq!(place(b"\0"), "a, line 1: this line contains the control character U+0000; remove it");
    }
}
