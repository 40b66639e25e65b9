/// How many letters a misspelt word may be off: none below five letters, where words differ by one and mean another
/// thing (pear, bear), one below nine, and two from there.
fn reach(length: usize) -> usize {
    match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    }
}

/// The distance between two spellings of what may be one word: letters put in, left out, changed, or swapped with
/// their neighbour (optimal string alignment). `None` if they are too far apart, begin with another letter, or hold
/// digits, which are never a slip.
pub(crate) fn misspelling(one: &str, other: &str) -> Option<usize> {
    let [length, other_length] = [one, other].map(|word| word.chars().count());
    let reach = reach(length.min(other_length));
    let has_digit = |word: &str| word.contains(|c: char| c.is_numeric());
    let same_start = one.chars().next() == other.chars().next();
    if length.abs_diff(other_length) > reach || !same_start || has_digit(one) || has_digit(other) {
        return None;
    }
    Some(strsim::osa_distance(one, other)).filter(|&distance| distance <= reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_other_words() {
        assert_eq!(misspelling("banana", "bananna"), Some(1));
        assert_eq!(misspelling("tomato", "tomaot"), Some(1), "swapped neighbours are one slip");
        assert_eq!(misspelling("brocoli", "broccoli"), Some(1));
        assert_eq!(misspelling("cauliflower", "califlowr"), Some(2));
        for (one, other) in
            [("pear", "bear"), ("beach", "peach"), ("vitamin b1", "vitamin b2"), ("lemon", "melon")]
        {
            assert_eq!(misspelling(one, other), None, "{one} {other}");
        }
    }
}
