//! Writes three hierarchies in every format into a folder: two with names that are hard to escape, and one of a thousand
//! concepts. The tools of `tests/foreign` then read them.
//!
//!     cargo run -p grove-formats --example every_format -- target/foreign

use std::error::Error;
use std::path::PathBuf;

use grove_formats::{
    Entry, Format, Heading, Hierarchy, Relation, SampleFormat, WriteOptions, write, write_samples,
};
use grove_tree::{Concept, Tree};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder to write into")?);
    std::fs::create_dir_all(&folder)?;
    let options = WriteOptions {
        license: Some("https://creativecommons.org/publicdomain/zero/1.0/".to_owned()),
        ..WriteOptions::default()
    };
    let hierarchies = [("odd", odd(Relation::IsA)?), ("parts", odd(Relation::PartOf)?), ("large", large()?)];
    for (name, hierarchy) in &hierarchies {
        for format in Format::ALL {
            let file = folder.join(format!("{name}.{}", format.extension()));
            std::fs::write(file, write(hierarchy, format, &options)?)?;
        }
        let samples = [hierarchy.tree().clone(), Tree::flat(hierarchy.len())];
        let newick = write_samples(hierarchy, &samples, SampleFormat::Newick)?;
        std::fs::write(folder.join(format!("{name}.samples.nwk")), newick)?;
    }
    Ok(())
}

/// Names with all characters that mean something in some format.
fn odd(relation: Relation) -> Result<Hierarchy, grove_formats::Error> {
    let names = [
        "fruit, fresh",
        "5\" pan",
        "baker's yeast",
        "🍎 apple 👩‍🍳",
        "חלב טרי",
        "عصير البرتقال",
        "a > b \\ c \\> d",
        "<script>alert(1)</script>",
        "AT&amp;T & Co; [x] {y} (z) !",
        "# not a comment",
        "under_score",
        "100% | 50% ~ `tick` *star*",
        "\\N \\l \\",
        "1. first",
        "- dash",
        "'quoted'",
        "\"all quoted\"",
        "日本の果物",
        "a name that is much longer than forty columns and is therefore cut in drawings, but nowhere else",
        "end",
        "naïve café",
        "=1+1",
        "GROVE:colon $x #y; ?z",
        "{brace first",
    ];
    let entry = |(at, name): (usize, &&str)| {
        // Parents come before their children, so there is no cycle; some have certainties and alternatives.
        let parent = if at < 3 { 0 } else { at / 2 };
        let mut entry = Entry::new(name, Concept::new(parent));
        entry.definition =
            at.is_multiple_of(3).then(|| format!("The concept \"{name}\"; it's <{at}> & more \\ {{x}}!"));
        entry.synonyms =
            if at % 4 == 1 { vec![format!("{name} | or"), format!("x, \"{at}\"")] } else { vec![] };
        entry.certainty = (at % 5 != 4).then_some(1.0 - at as f64 / 30.0);
        if at >= 6 {
            entry.alternatives = vec![(Concept::ROOT, 0.25), (Concept::new(2), 0.0625)];
        }
        (entry.yes, entry.no) = (at as u64, (at % 3) as u64);
        entry
    };
    let entries = names.iter().enumerate().map(entry).collect();
    let heading = Heading {
        title: "Odd \"names\", <all> & more: #1".to_owned(),
        language: "en".to_owned(),
        relation,
        root: "the 'root' of \"it\"".to_owned(),
    };
    Hierarchy::new(heading, entries)
}

fn large() -> Result<Hierarchy, grove_formats::Error> {
    let entry = |at: usize| {
        let parent =
            if at == 0 { 0 } else { (at * 7 + 3) % at.min(200) + usize::from(!at.is_multiple_of(5)) };
        let certainty = Some(0.5 + (at % 50) as f64 / 100.0);
        Entry { certainty, ..Entry::new(&format!("concept number {at}"), Concept::new(parent)) }
    };
    Hierarchy::new(
        Heading { language: "de".to_owned(), ..Heading::new("everything") },
        (0..1000).map(entry).collect(),
    )
}
