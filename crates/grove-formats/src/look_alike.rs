//! Names that a reader may confuse.

use std::collections::HashMap;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use crate::name::{name_key, tidy};

/// How two easily confused names differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// In accents and other marks alone: "resume" and "résumé".
    Accents,
    /// In letters that look alike: "Сhair" with a Cyrillic С, "Al" with a small l.
    Letters,
}

/// Two names that are easily confused. Names that differ only in case are one concept, and the second is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LookAlike {
    /// The name that came first.
    pub first: String,
    /// The later one.
    pub second: String,
    /// How they differ.
    pub differ_in: Likeness,
}

impl std::fmt::Display for LookAlike {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { first, second, differ_in } = self;
        match differ_in {
            Likeness::Accents => write!(f, "{first:?} and {second:?} differ in accents alone"),
            Likeness::Letters => {
                write!(f, "{first:?} and {second:?} look alike ({})", telling_letters(first, second))
            }
        }
    }
}

/// The pairs of names of which one is new and that differ only in case, accents or letters that look alike. Each new name is compared with
/// the known ones and with the new ones before it, and is listed once.
///
/// Letters look alike if the Unicode Consortium says so: those with the same skeleton in its list of confusables (UTS 39).
///
/// ```
/// use grove_formats::look_alikes;
/// let found = look_alikes(["résumé"], ["resume", "раper", "paper", "cow"]);
/// let said: Vec<String> = found.iter().map(ToString::to_string).collect();
/// assert_eq!(said[0], "\"résumé\" and \"resume\" differ in accents alone");
/// assert_eq!(said[1], "\"раper\" and \"paper\" look alike (U+0440 U+0430 and U+0070 U+0061)");
/// assert_eq!(said.len(), 2);
/// ```
pub fn look_alikes<'n>(
    known: impl IntoIterator<Item = &'n str>,
    new: impl IntoIterator<Item = &'n str>,
) -> Vec<LookAlike> {
    let mut by_accents: HashMap<String, &str> = HashMap::new();
    let mut by_letters: HashMap<String, &str> = HashMap::new();
    let mut found = Vec::new();
    let names = known.into_iter().map(|name| (name, false)).chain(new.into_iter().map(|name| (name, true)));
    for (name, is_new) in names {
        let (plain, shape) = (without_marks(&name_key(name)), letters(&tidy(name)));
        let seen = [
            (by_accents.get(&plain).copied(), Likeness::Accents),
            (by_letters.get(&shape).copied(), Likeness::Letters),
        ];
        let like = seen.into_iter().find_map(|(first, differ_in)| Some((first?, differ_in)));
        if let Some((first, differ_in)) =
            like.filter(|(first, _)| is_new && name_key(first) != name_key(name))
        {
            found.push(LookAlike { first: first.to_owned(), second: name.to_owned(), differ_in });
        }
        by_letters.entry(shape).or_insert(name);
        by_accents.entry(plain).or_insert(name);
    }
    found
}

/// The same text without accents and other marks.
fn without_marks(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect()
}

/// What a name looks like without its marks, the same for names that look alike. Case is folded last: a capital I looks like a small l, but
/// a small i does not.
fn letters(name: &str) -> String {
    let shape = |c: char| {
        let shape: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
        // The list takes m for rn, which would make "modem" and "modern" alike.
        if c.is_ascii() && shape.len() > 1 { c.to_string() } else { shape }
    };
    without_marks(name).chars().map(shape).collect::<String>().to_lowercase()
}

/// The letters in which two names of the same length differ, as code points; all of them if the lengths differ.
fn telling_letters(first: &str, second: &str) -> String {
    let same_length = first.chars().count() == second.chars().count();
    let points = |name: &str, other: &str| {
        let pairs = name.chars().zip(other.chars().map(Some).chain(std::iter::repeat(None)));
        let telling = pairs.filter(|(one, other)| !same_length || Some(*one) != *other);
        telling.map(|(c, _)| format!("U+{:04X}", u32::from(c))).collect::<Vec<_>>().join(" ")
    };
    format!("{} and {}", points(first, second), points(second, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(known: &[&str], new: &[&str]) -> Vec<(String, String, Likeness)> {
        let found = look_alikes(known.iter().copied(), new.iter().copied());
        found.into_iter().map(|one| (one.first, one.second, one.differ_in)).collect()
    }

    fn pair(first: &str, second: &str, how: Likeness) -> Vec<(String, String, Likeness)> {
        vec![(first.to_owned(), second.to_owned(), how)]
    }

    #[test]
    fn accents_and_look_alike_letters_are_pointed_out() {
        use Likeness::{Accents, Letters};
        for (first, second, how) in [
            ("resume", "résumé", Accents),
            ("Résumé", "RESUME", Accents),
            ("jalapeno", "jalapeño", Accents),
            ("apple", "аpple", Letters), // Cyrillic а
            ("ΑΒΓ", "ABΓ", Letters),     // Greek capitals and Latin ones
            ("Illinois", "lllinois", Letters),
            ("type 1", "type l", Letters),
            ("O2", "02", Letters),
            ("café", "cаfe", Letters), // an accent and a Cyrillic а
        ] {
            assert_eq!(found(&[first], &[second]), pair(first, second, how), "{first} {second}");
            assert_eq!(found(&[], &[first, second]), pair(first, second, how), "{first} {second}");
        }
    }

    #[test]
    fn different_names_are_not() {
        let names = [
            "modern", "modem", "corn", "com", "cat", "cot", "ball", "bail", "mail", "mall", "日本", "日木",
            "a", "b", "d",
        ];
        assert_eq!(found(&[], &names), []);
        // Existing names are not reported again, and identical names are refused elsewhere.
        assert_eq!(found(&["resume", "résumé"], &["cow", "Cow", "ＣＯＷ"]), []);
    }
}
