/// What an English word may be the plural of, by its ending alone; the caller merges only words that both occur.
///
/// Small and careful: -ies of -y; -ves of -f or -fe; -es after s, x, z, ch, sh or o; -s, but not -ss, -us or -is. Irregular plurals
/// are left to the person. Nothing is shortened below three letters.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
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
}
