//! The lab without the rest of the program: `cargo run --release -p grove-lab --example lab -- NAME|all|report [quick] [OUT]`.

use std::path::PathBuf;

use grove_lab::{Error, Experiment, Options, Silent, Size, report, run};

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "quick");
    let mut words = args.iter().filter(|arg| *arg != "quick");
    let name = words.next().map_or("all", String::as_str);
    let out = PathBuf::from(words.next().map_or("docs", String::as_str));
    let size = if quick { Size::Quick } else { Size::Full };
    let options = Options { out, size, seed: 1, threads: 2 };
    match (name, Experiment::find(name)) {
        (_, Some(experiment)) => println!("{}", run(experiment, &options, &Silent)?),
        ("report", None) => println!("{}", report(&options.out)?.display()),
        _ => {
            for experiment in Experiment::ALL {
                run(experiment, &options, &Silent)?;
            }
        }
    }
    Ok(())
}
