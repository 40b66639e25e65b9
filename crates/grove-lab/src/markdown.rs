//! Tables in Markdown.

/// A table with a head.
#[derive(Clone, Debug)]
pub(crate) struct MarkdownTable {
    width: usize,
    text: String,
}

impl MarkdownTable {
    pub(crate) fn new(head: &[&str]) -> Self {
        let mut table = Self { width: head.len(), text: String::new() };
        table.row(head);
        table.text.push_str(&format!("|{}\n", "---|".repeat(head.len())));
        table
    }

    /// # Panics
    /// If the row is not as wide as the head.
    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        assert_eq!(cells.len(), self.width, "a row is as wide as its head");
        let cells: Vec<String> = cells.iter().map(|cell| cell.as_ref().replace('|', "\\|")).collect();
        self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// A number with so many digits behind the point (with commas, if none), or a dash; infinity is what was never reached.
pub(crate) fn digits(value: Option<f64>, digits: usize) -> String {
    match value {
        Some(value) if value.is_finite() && digits == 0 => thousands(value),
        Some(value) if value.is_finite() => format!("{value:.digits$}"),
        Some(_) => "not reached".to_owned(),
        None => "-".to_owned(),
    }
}

/// A whole number with commas.
pub(crate) fn thousands(value: f64) -> String {
    let figures = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, figure) in figures.chars().enumerate() {
        if at > 0 && (figures.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(figure);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_numbers() {
        let mut table = MarkdownTable::new(&["a", "b"]);
        table.row(&["x|y", "2"]);
        assert_eq!(table.text(), "| a | b |\n|---|---|\n| x\\|y | 2 |\n");
        assert_eq!(
            [0.0, 999.0, 1_000.0, 49_500.0, 1e6].map(thousands),
            ["0", "999", "1,000", "49,500", "1,000,000"]
        );
        assert_eq!([digits(Some(0.12345), 3), digits(Some(1_234.5), 0)], ["0.123", "1,234"]);
        assert_eq!([digits(None, 1), digits(Some(f64::INFINITY), 1)], ["-", "not reached"]);
    }
}
