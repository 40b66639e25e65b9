//! The native half of the Python package `taxogrove`. The other half is in `python/taxogrove`, and says what each function is for.
//!
//! Computations run without the interpreter's lock, Ctrl-C ends the wait for them, errors become exceptions with the messages that the command line
//! prints, and a panic becomes an exception too.

mod background;
mod crowd;
mod error;
mod names;
mod saved;
mod session;
mod state;
mod weights;

/// The module that Python imports as `taxogrove._native`.
#[pyo3::pymodule]
mod _native {
    use std::ffi::OsString;
    use std::process::ExitCode;

    use grove_formats::Format;
    use grove_sim::Dataset;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::crowd::Crowd;
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::weights::{EdgeWeights, Fit, best_tree};

    use crate::background::guarded;

    /// Runs the program `grove`; its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
        let code = py.detach(|| guarded(|| Ok(taxogrove::main(arguments))))?;
        // An exit code does not tell its number, but can be compared.
        Ok((0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(1))
    }

    /// The formats of a hierarchy: name, file ending, media type.
    #[pyfunction]
    fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
        Format::ALL.map(|format| (format.name(), format.extension(), format.media_type())).to_vec()
    }

    /// The names of the built-in hierarchies.
    #[pyfunction]
    fn datasets() -> Vec<&'static str> {
        Dataset::ALL.map(Dataset::name).to_vec()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
