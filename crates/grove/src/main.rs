//! Builds hierarchies of concepts by asking people short questions.

use std::process::ExitCode;

fn main() -> ExitCode {
    taxogrove::main(std::env::args_os())
}
