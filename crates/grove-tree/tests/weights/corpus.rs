//! The inputs that the fuzzer of trees starts from.

use std::fs;
use std::path::Path;

use crate::checks;

#[test]
fn inputs_of_the_fuzzer_are_trees_where_they_should_be() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../grove-formats/tests/corpus/trees");
    let files = fs::read_dir(folder).expect("the target has a folder");
    let depths: Vec<Option<usize>> = files
        .map(|file| checks::tree(&fs::read(file.expect("a file").path()).expect("it can be read")))
        .collect();
    assert!(depths.iter().flatten().count() >= 4 && depths.contains(&None), "{depths:?}");
}
