//! Every input that a fuzzer started from or stumbled over. `make fuzz` adds to these folders what it finds worth keeping.

mod checks;

use std::fs;
use std::path::Path;

use checks::{ENDINGS, Reader};

#[test]
fn inputs_of_the_fuzzers_keep_the_promises() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for reader in Reader::ALL {
        let files = fs::read_dir(corpus.join(reader.name())).expect("every reader has a folder");
        let mut seen = 0;
        for file in files {
            let bytes = fs::read(file.expect("the folder can be read").path()).expect("the file can be read");
            reader.check(&bytes);
            seen += 1;
        }
        assert!(seen > 0, "{} has no inputs", reader.name());
    }
}

/// The first byte is the ending, and every reader reads something of the corpus: otherwise the fuzzers would start from errors alone.
#[test]
fn inputs_begin_with_their_ending() {
    assert_eq!((ENDINGS[0], ENDINGS[5], ENDINGS[12]), ("txt", "ttl", "unknown"));
    for (reader, good) in [
        (Reader::Concepts, &b"afruit\napple\n"[..]),
        (Reader::Hierarchy, b"bchild,parent\napple,fruit\n"),
        (Reader::Votes, b"bworker,upper,lower,answer\nann,fruit,apple,yes\n"),
        (Reader::Placements, b"bchild,parent\napple,fruit\n"),
    ] {
        assert_eq!(reader.read_input(good), Ok(()));
    }
    assert!(Reader::Concepts.read_input(b"fthis is no turtle").is_err());
}
