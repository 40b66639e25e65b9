/// The possible singulars of an English word, by its ending alone; the caller merges only words that both occur.
///
/// -ies of -y; -ves of -f or -fe; -es after s, x, z, ch, sh or o; -s, but not -ss, -us or -is. Irregular plurals are left to
/// the user. Nothing is shortened below three letters.
pub(crate) fn singulars(word: &str) -> Vec<String> {
    let replaced = |(ending, by): (&str, &str)| Some(word.strip_suffix(ending)?.to_owned() + by);
    let irregular = [("ies", "y"), ("ves", "f"), ("ves", "fe")].into_iter().filter_map(replaced);
    let takes_es = |stem: &&str| ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| stem.ends_with(end));
    let with_es = word.strip_suffix("es").filter(takes_es);
    let with_s = word.strip_suffix('s').filter(|stem| !stem.ends_with(['s', 'u', 'i']));
    let regular = with_es.into_iter().chain(with_s).map(str::to_owned);
    irregular.chain(regular).filter(|word| word.chars().count() >= 3).collect()
}

/// The maximum distance of a misspelling: none below five letters, where words that differ by one mean different things
/// (pear, bear), one below nine, and two from there.
fn max_distance(length: usize) -> usize {
    match length {
        0..5 => 0,
        5..9 => 1,
        _ => MAX_DISTANCE,
    }
}

/// The largest of these.
pub(crate) const MAX_DISTANCE: usize = 2;

/// What can be compared without comparing words letter by letter.
pub(crate) struct Shape {
    pub(crate) start: char,
    pub(crate) length: usize,
    /// A bit for every letter; some letters share one.
    letters: u64,
}

impl Shape {
    /// The shape of a word that is not empty.
    pub(crate) fn of(word: &str) -> Self {
        let letters = word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % 64));
        Self { start: word.chars().next().unwrap_or_default(), length: word.chars().count(), letters }
    }

    /// Whether words of these shapes can be misspellings of each other: every error puts at most one letter in and takes one out.
    pub(crate) fn may_be_near(&self, other: &Self) -> bool {
        let max = max_distance(self.length.min(other.length)) as u32;
        let only = |letters: u64, others: u64| (letters & !others).count_ones();
        only(self.letters, other.letters) <= max && only(other.letters, self.letters) <= max
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
        for (one, other) in [("banana", "bananna"), ("tomato", "tomaot"), ("cauliflower", "califlowr")] {
            assert!(
                Shape::of(one).may_be_near(&Shape::of(other))
                    && Shape::of(other).may_be_near(&Shape::of(one))
            );
        }
        assert!(!Shape::of("banana").may_be_near(&Shape::of("bonito")));
        for (one, other) in
            [("pear", "bear"), ("beach", "peach"), ("vitamin b1", "vitamin b2"), ("lemon", "melon")]
        {
            assert_eq!(misspelling(one, other), None, "{one} {other}");
        }
    }
}
