use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// The most characters of an identifier made from a name.
const LENGTH: usize = 60;

/// Whether a text can stand in an IRI, in XML, in OBO and in DOT without any quoting.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Identifiers for names, each different: those given are kept, the others are made from the names.
///
/// "Crème brûlée" becomes "creme-brulee"; a name without Latin letters or digits becomes "concept-" and its number;
/// a second "apple" becomes "apple-2". Adding names at the end changes none of the earlier ones.
pub(crate) fn ids(names: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut taken: HashSet<String> =
        names.iter().filter_map(|(_, given)| given.map(str::to_lowercase)).collect();
    let mut make = |number: usize, name: &str| {
        let stem =
            Some(slug(name)).filter(|stem| !stem.is_empty()).unwrap_or_else(|| format!("concept-{number}"));
        let numbered = (2..).map(|again| format!("{stem}-{again}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|id| !taken.contains(id));
        let id = free.expect("there are more numbers than names");
        taken.insert(id.clone());
        id
    };
    let number_and_name = names.iter().enumerate();
    number_and_name
        .map(|(index, &(name, given))| given.map_or_else(|| make(index + 1, name), str::to_owned))
        .collect()
}

/// Latin letters without their marks, digits, and hyphens between the words.
fn slug(name: &str) -> String {
    let is_mark = |c: &char| unicode_normalization::char::is_combining_mark(*c);
    let plain: String = name.nfkd().filter(|c| !is_mark(c)).collect::<String>().to_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    slug.chars().take(LENGTH).collect::<String>().trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_from_names() {
        let names = ["Crème brûlée", "apple", "Apple!", "🍎", "חלב", "5\" pan", "apple-2"];
        let ids = ids(&names.map(|name| (name, None)));
        assert_eq!(ids, ["creme-brulee", "apple", "apple-2", "concept-4", "concept-5", "5-pan", "apple-2-2"]);
        assert!(ids.iter().all(|id| is_id(id)));
    }

    #[test]
    fn given_ones_stay() {
        assert_eq!(ids(&[("apple", None), ("pear", Some("APPLE"))]), ["apple-2", "APPLE"]);
        assert!(!is_id("") && !is_id("a b") && !is_id("é"));
    }
}
