//! Runs one experiment in its quick form and prints its page: `cargo run --release -p grove-lab --example lab -- scale`.

use grove_lab::{Error, Experiment, Options, Share, Silent, Size, run};

fn main() -> Result<(), Error> {
    let experiment = std::env::args().nth(1).and_then(|name| Experiment::find(&name));
    let out = std::env::temp_dir().join("grove-lab");
    let options = Options { out, size: Size::Quick, seed: 1, threads: 2, share: Share::All };
    println!("{}", run(experiment.unwrap_or(Experiment::Calibration), &options, &Silent)?);
    Ok(())
}
