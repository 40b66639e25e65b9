//! Builds hierarchies of concepts by asking people short yes/no questions.

use std::process::ExitCode;

fn main() -> ExitCode {
    taxogrove::main(std::env::args_os())
}
