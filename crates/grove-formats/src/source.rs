use crate::name::is_forbidden;
use crate::{Error, Place};

/// One input: a file's name and its text. Nothing here opens files: the caller reads, and errors name the file.
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
    name: String,
    text: String,
}

impl Source {
    /// Takes a file's bytes as text.
    ///
    /// # Errors
    /// [`Error::NotUtf8`] or [`Error::ControlCharacter`], with the line.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Result<Self, Error> {
        let name = name.into();
        let at = Place::file(&name);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = line_of(&String::from_utf8_lossy(&bytes[..error.valid_up_to()]));
            Error::NotUtf8 { at: at.line(line) }
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        if let Some(index) = text.find(is_forbidden) {
            let code = text[index..].chars().next().map_or(0, u32::from);
            return Err(Error::ControlCharacter { at: at.line(line_of(&text[..index])), code });
        }
        Ok(Self { name, text })
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, with LF between the lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file as a place.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::file(&self.name)
    }

    /// The ending of the file's name, in lower case: "csv".
    pub(crate) fn extension(&self) -> String {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        file.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_lowercase())
    }

    /// The lines that say something, with their numbers: neither empty nor beginning with #.
    pub(crate) fn telling_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// The number of the line in which this byte stands.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        let to = byte.min(self.text.len());
        1 + self.text.as_bytes()[..to].iter().filter(|&&byte| byte == b'\n').count()
    }

    /// That there is anything but white space.
    pub(crate) fn require(&self, expected: &'static str) -> Result<(), Error> {
        if self.text.trim().is_empty() {
            return Err(Error::Empty { at: self.place(), expected });
        }
        Ok(())
    }
}

/// The number of the line on which a text ends.
fn line_of(text: &str) -> usize {
    text.replace("\r\n", "\n").matches(['\n', '\r']).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_windows_writes() {
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
            "a, line 2: the control character U+001B stands in this line; remove it"
        );
        assert_eq!(place(b"\0"), "a, line 1: the control character U+0000 stands in this line; remove it");
    }
}
