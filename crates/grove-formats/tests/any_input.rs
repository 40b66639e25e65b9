//! No input makes a reader panic, and every error is one line that names the file.

use grove_formats::{
    Source, TagSettings, prepare_concepts, read_card_sort, read_card_sort_concepts, read_concepts,
    read_hierarchy, read_tags, read_votes,
};
use proptest::prelude::*;

const ENDINGS: [&str; 12] =
    ["txt", "csv", "tsv", "json", "jsonl", "ttl", "nt", "rdf", "xml", "jsonld", "paths", "unknown"];

/// Texts made of pieces of the formats, so that many of them pass the first checks.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "child",
        "parent",
        "concept",
        "name",
        "synonyms",
        "worker",
        "upper",
        "lower",
        "answer",
        "certainty",
        "card",
        "category",
        "participant",
        "tag",
        "yes",
        "no",
        "0.5",
        "a",
        "b",
        "é",
        "🍎",
        ",",
        ",",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "\"",
        "#",
        ">",
        "\\",
        "|",
        "[",
        "]",
        "{",
        "}",
        ":",
        "\"name\"",
        "\"children\"",
        "\"root\"",
        "\"@graph\"",
        "\"@id\"",
        "<",
        "</",
        "/>",
        "<x:a>",
        " .",
        ";",
        "a <http://www.w3.org/2004/02/skos/core#Concept>",
        "@prefix",
        "<http://www.w3.org/2004/02/skos/core#prefLabel>",
        "<http://www.w3.org/2004/02/skos/core#broader>",
        "\u{feff}",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">",
        "=\"",
        "&",
        " ",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => text().prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..60),
        1 => r"\PC{0,60}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn readers_take_anything(bytes in bytes(), ending in proptest::sample::select(ENDINGS.to_vec())) {
        let known = read_concepts(&Source::new("known.txt", b"a\nb\n").unwrap()).unwrap().index();
        let mut errors = Vec::new();
        match Source::new(format!("file.{ending}"), &bytes) {
            Err(error) => errors.push(error),
            Ok(source) => {
                errors.extend(read_concepts(&source).err());
                errors.extend(read_hierarchy(&source).err());
                errors.extend(read_votes(&source, &known).err());
                errors.extend(read_card_sort(&source, &known).err());
                errors.extend(read_card_sort_concepts(&source).err());
                match read_tags(&source) {
                    Ok(tags) => prop_assert!(prepare_concepts(&tags, &TagSettings::default()).is_ok()),
                    Err(error) => errors.push(error),
                }
            }
        }
        for error in errors {
            let message = error.to_string();
            prop_assert!(message.starts_with(&format!("file.{ending}")) && !message.contains('\n'), "{}", message);
        }
    }
}
