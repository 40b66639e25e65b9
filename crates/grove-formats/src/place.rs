use std::fmt;

/// Where in the input something was found; printed as the beginning of an error: `food.csv, line 3: `.
///
/// A value built by a program has no place, and its error begins with the cause.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file's name, as the caller gave it.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<usize>,
}

impl Place {
    /// No file at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// A file as a whole.
    #[must_use]
    pub fn file(name: &str) -> Self {
        Self { file: Some(name.to_owned()), line: None }
    }

    /// The same file at this line.
    #[must_use]
    pub fn line(&self, line: usize) -> Self {
        Self { line: Some(line), ..self.clone() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}, line {line}: "),
            (Some(file), None) => write!(f, "{file}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}
