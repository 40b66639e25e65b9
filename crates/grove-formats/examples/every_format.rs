//! Reads hierarchies and writes each of them in every format into a folder. The tools of `tests/foreign` read what it makes of
//! the files there: names that are hard to escape, and a thousand concepts.
//!
//!     cargo run -p grove-formats --example every_format -- FOLDER FILE...

use std::error::Error;
use std::path::PathBuf;

use grove_formats::{Format, SampleFormat, Source, WriteOptions, read_hierarchy, write, write_samples};
use grove_tree::Tree;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1).map(PathBuf::from);
    let folder = paths.next().ok_or("name the folder to write into, and then the files to read")?;
    std::fs::create_dir_all(&folder)?;
    let options = WriteOptions {
        license: Some("https://creativecommons.org/publicdomain/zero/1.0/".to_owned()),
        ..WriteOptions::default()
    };
    for path in paths {
        let source = Source::new(path.to_string_lossy(), &std::fs::read(&path)?)?;
        let hierarchy = read_hierarchy(&source)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for format in Format::ALL {
            let file = folder.join(format!("{name}.{}", format.extension()));
            std::fs::write(file, write(&hierarchy, format, &options)?)?;
        }
        let samples = [hierarchy.tree().clone(), Tree::flat(hierarchy.len())];
        let newick = write_samples(&hierarchy, &samples, SampleFormat::Newick)?;
        std::fs::write(folder.join(format!("{name}.samples.nwk")), newick)?;
    }
    Ok(())
}
