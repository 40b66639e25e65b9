/// The possible singulars of an English word, by its ending alone; the caller merges only words that both occur.
///
/// -ies of -y; -ves of -f or -fe; -es after s, x, z, ch, sh or o; -s, but not -ss, -us or -is. Irregular plurals are left to
/// the user. Nothing is shortened below three letters.
pub(crate) fn singulars(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(stem) = word.strip_suffix("ies") {
        found.push(format!("{stem}y"));
    }
    if let Some(stem) = word.strip_suffix("ves") {
        found.extend([format!("{stem}f"), format!("{stem}fe")]);
    }
    if let Some(stem) = word.strip_suffix("es")
        && ["s", "x", "z", "ch", "sh", "o"].iter().any(|ending| stem.ends_with(ending))
    {
        found.push(stem.to_owned());
    }
    if let Some(stem) = word.strip_suffix('s')
        && !["s", "u", "i"].iter().any(|ending| stem.ends_with(ending))
    {
        found.push(stem.to_owned());
    }
    found.retain(|word| word.chars().count() >= 3);
    found
}

/// The maximum distance of a misspelling: none below five letters, where words that differ by one mean different things
/// (pear, bear), one below nine, and two from there.
fn max_distance(length: usize) -> usize {
    match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    }
}

/// The distance between two spellings of what may be one word: letters inserted, left out, changed, or swapped with
/// their neighbour (optimal string alignment). `None` if they are too far apart, begin with different letters, or contain
/// digits, which are no typing errors.
pub(crate) fn misspelling(one: &str, other: &str) -> Option<usize> {
    let [length, other_length] = [one, other].map(|word| word.chars().count());
    let max = max_distance(length.min(other_length));
    let has_digit = |word: &str| word.contains(|c: char| c.is_numeric());
    let same_start = one.chars().next() == other.chars().next();
    if length.abs_diff(other_length) > max || !same_start || has_digit(one) || has_digit(other) {
        return None;
    }
    Some(strsim::osa_distance(one, other)).filter(|&distance| distance <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_found_by_their_endings() {
        for (plural, singular) in [
            ("berries", "berry"),
            ("dishes", "dish"),
            ("boxes", "box"),
            ("tomatoes", "tomato"),
            ("glasses", "glass"),
            ("spoons", "spoon"),
            ("knives", "knife"),
            ("loaves", "loaf"),
            ("apple pies", "apple pie"),
        ] {
            assert!(singulars(plural).contains(&singular.to_owned()), "{plural}");
        }
        for word in ["glass", "cactus", "basis", "gas", "as", "its", "rice"] {
            assert_eq!(singulars(word), Vec::<String>::new(), "{word}");
        }
    }

    #[test]
    fn misspellings_and_other_words() {
        assert_eq!(misspelling("banana", "bananna"), Some(1));
        assert_eq!(misspelling("tomato", "tomaot"), Some(1), "swapped neighbours are one error");
        assert_eq!(misspelling("brocoli", "broccoli"), Some(1));
        assert_eq!(misspelling("cauliflower", "califlowr"), Some(2));
        for (one, other) in
            [("pear", "bear"), ("beach", "peach"), ("vitamin b1", "vitamin b2"), ("lemon", "melon")]
        {
            assert_eq!(misspelling(one, other), None, "{one} {other}");
        }
    }
}
