use std::collections::HashMap;

use grove_tree::Concept;
use unicode_normalization::UnicodeNormalization;

use crate::{ErrorKind, Place, Result};

/// The maximum length of a name, in characters. Longer ones come from quotes that were not closed.
pub(crate) const NAME_LIMIT: usize = 500;

/// The longest name for which a similar one is looked for, and the most names that are looked at.
const SUGGESTED_LENGTH: usize = 60;
const SUGGESTED_NAMES: usize = 20_000;

/// A name as it is shown: composed (NFC), trimmed, with single spaces and without invisible characters.
///
/// Joiners and variation selectors stay, because Persian and emoji need them. Byte order marks, soft hyphens,
/// zero-width spaces and direction marks are removed.
pub(crate) fn tidy(name: &str) -> String {
    if name.is_ascii() {
        return name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    let composed: String = name.chars().filter(|c| !is_invisible(*c)).nfc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_invisible(c: char) -> bool {
    let breaks = matches!(c, '\u{feff}' | '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{34f}');
    let directions =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    breaks || directions
}

/// Whether a character only changes how its neighbours look.
fn is_shaping(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The key under which names are compared, equal for names that differ only in case, width, ligatures, joiners or white
/// space: the compatibility form (NFKC) with its case folded, so that "Straße" is "STRASSE" and "ﬁg" is "fig".
#[must_use]
pub fn name_key(name: &str) -> String {
    // A fast path for the common case: a hundred thousand votes name two concepts each.
    if name.is_ascii() {
        return tidy(name).to_ascii_lowercase();
    }
    let compatible: String = tidy(name).chars().filter(|c| !is_shaping(*c)).nfkc().collect();
    // Upper case first: it expands ß and unifies the two small sigmas, which lower case alone would not.
    let folded = compatible.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    tidy(&folded.nfkc().collect::<String>())
}

/// Whether a character is one that no text needs and XML cannot contain.
pub(crate) fn is_forbidden(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Checks and tidies a name.
pub(crate) fn read_name(raw: &str, at: &Place, what: &'static str) -> Result<String> {
    if raw.trim().contains('\n') {
        return Err(ErrorKind::NameOverLines.at(at));
    }
    let name = read_text(raw, at)?.ok_or_else(|| ErrorKind::Missing(what).at(at))?;
    match name.chars().count() {
        0..=NAME_LIMIT => Ok(name),
        found => Err(ErrorKind::LongName(found).at(at)),
    }
}

/// Checks and tidies a definition or another free text; `None` if nothing is left.
pub(crate) fn read_text(raw: &str, at: &Place) -> Result<Option<String>> {
    match raw.chars().find(|&c| is_forbidden(c)) {
        Some(found) => Err(ErrorKind::ControlCharacter(found).at(at)),
        None => Ok(Some(tidy(raw)).filter(|text| !text.is_empty())),
    }
}

/// Finds concepts by their names, in any case, and by synonyms that only one concept has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameIndex {
    names: Vec<String>,
    by_key: HashMap<String, Concept>,
    by_synonym: HashMap<String, Option<Concept>>,
}

impl NameIndex {
    /// Indexes concepts, given as (name, synonyms) in the order of their numbers, and the root if it has a name.
    /// Of two concepts with the same name the first is found.
    pub fn new<'a>(root: Option<&str>, concepts: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let mut index = Self::default();
        index.insert(root.unwrap_or_default(), &[], root.is_some());
        for (name, synonyms) in concepts {
            index.insert(name, synonyms, true);
        }
        index
    }

    fn insert(&mut self, name: &str, synonyms: &[String], named: bool) {
        let concept = Concept::new(self.names.len());
        self.names.push(name.to_owned());
        if named {
            self.by_key.entry(name_key(name)).or_insert(concept);
        }
        for synonym in synonyms {
            // A synonym of two concepts finds neither.
            self.by_synonym
                .entry(name_key(synonym))
                .and_modify(|known| *known = known.filter(|&one| one == concept))
                .or_insert(Some(concept));
        }
    }

    /// The concept with this name or synonym.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Concept> {
        let key = name_key(name);
        self.by_key.get(&key).copied().or_else(|| self.by_synonym.get(&key).copied().flatten())
    }

    /// The most similar name, by Damerau-Levenshtein distance; `None` if all differ in more than a third of the letters, or if
    /// there are too many.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let key = name_key(name);
        // To compare long names with very many others would take seconds.
        if key.chars().count() > SUGGESTED_LENGTH || self.names.len() > SUGGESTED_NAMES {
            return None;
        }
        let reach = (key.chars().count() / 3).max(1);
        let near = |(index, known): (usize, &'_ String)| {
            let known = name_key(known);
            let apart = known.chars().count().abs_diff(key.chars().count());
            (apart <= reach).then(|| (strsim::damerau_levenshtein(&key, &known), index))
        };
        let best = self.names.iter().enumerate().filter(|(_, name)| !name.is_empty()).filter_map(near).min();
        best.filter(|&(distance, _)| distance <= reach).map(|(_, index)| self.names[index].as_str())
    }

    /// The concept with this name or synonym, or an error that suggests the nearest name.
    pub(crate) fn require(&self, name: &str, at: &Place) -> Result<Concept> {
        self.find(name).ok_or_else(|| self.unknown(name).at(at))
    }

    /// The error for a name that is not in the index.
    pub(crate) fn unknown(&self, name: &str) -> ErrorKind {
        let nearest = self.nearest(name).map(str::to_owned);
        ErrorKind::UnknownConcept { name: tidy(name), nearest }
    }

    /// The name of a concept or of the root.
    #[must_use]
    pub fn name(&self, concept: Concept) -> &str {
        &self.names[concept.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_the_same_letters_have_one_key() {
        for same in [
            ["Straße", "STRASSE"],
            ["ﬁg", "FIG"],
            ["cafe\u{301}", "CAFÉ"],
            ["ΣΑΣ", "σας"],
            ["Ａpple", " apple\u{200b} "],
            ["ice\u{a0} cream", "Ice Cream"],
        ] {
            assert_eq!(name_key(same[0]), name_key(same[1]), "{same:?}");
        }
        assert_ne!(name_key("resume"), name_key("résumé"));
    }

    #[test]
    fn the_key_of_a_key_is_itself() {
        for name in ["İstanbul", "ŉ", "ﬃ", "㎏", "ᾳ", "Ǆ"] {
            assert_eq!(name_key(&name_key(name)), name_key(name), "{name}");
        }
    }

    #[test]
    fn finds_by_name_then_by_unambiguous_synonym() {
        let synonyms: [&[String]; 3] = [&["soda".into(), "pop".into()], &["pop".into()], &[]];
        let index = NameIndex::new(Some("food"), ["soft drink", "music", "Soda"].into_iter().zip(synonyms));
        assert_eq!(index.find("FOOD"), Some(Concept::ROOT));
        assert_eq!(index.find("soda"), Some(Concept::new(3)), "a name is stronger than a synonym");
        assert_eq!(index.find("pop"), None, "two concepts share it");
        assert_eq!(index.nearest("sofa"), Some("Soda"));
        assert_eq!(index.nearest("sfot drnik"), Some("soft drink"));
        assert_eq!(index.nearest("elephant"), None);
    }
}
