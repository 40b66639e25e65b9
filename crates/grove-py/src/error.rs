//! Errors of Rust as exceptions of Python, with the same messages.

use std::any::Any;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller can correct it.
    Input(String),
    /// Something failed while running.
    Failed(String),
    /// A fault of ours: a panic, which must not cross into Python.
    Internal(String),
    /// Python raised an exception meanwhile: from a callback, or for Ctrl-C.
    Raised(PyErr),
    /// The work was given up because of one; whoever waited for it has left.
    Cancelled,
}

impl Failure {
    /// An error of the input.
    pub(crate) fn input(message: impl std::fmt::Display) -> Self {
        Self::Input(message.to_string())
    }

    /// A panic that was caught.
    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::Internal(format!("internal error: {}; please report it", text.unwrap_or("no message")))
    }

    /// What an object says whose state a panic left half changed.
    pub(crate) fn poisoned() -> Self {
        Self::Internal(
            "an earlier call failed inside and left this object half changed; make a new one".to_owned(),
        )
    }

    /// The error of an inference. Errors in rows of Python objects name the row by its index.
    pub(crate) fn of(error: &anyhow::Error, rows: Option<&str>) -> Self {
        let message = match (error.downcast_ref::<grove_formats::Error>(), rows) {
            (Some(grove_formats::Error { place, kind }), Some(name)) => match place.line {
                Some(line) => format!("{name}[{}]: {kind}", line.saturating_sub(1)),
                None => format!("{name}: {kind}"),
            },
            _ => taxogrove::message(error),
        };
        let is_belief = error.is::<grove_belief::Error>() || error.is::<grove_vocabulary::Error>();
        if taxogrove::is_bad_input(error) || is_belief { Self::Input(message) } else { Self::Failed(message) }
    }
}

/// All of them are about what the caller gave.
macro_rules! input_errors {
    ($($Error:ty),+) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                Self::Input(error.to_string())
            }
        })+
    };
}

input_errors!(
    grove_belief::Error,
    grove_formats::Error,
    grove_sim::Error,
    grove_tree::Error,
    grove_vocabulary::Error,
    serde_json::Error
);

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (class, message) = match failure {
            Failure::Input(message) => ("InputError", message),
            Failure::Failed(message) => ("GroveError", message),
            Failure::Internal(message) => ("InternalError", message),
            Failure::Cancelled => ("GroveError", "the work was given up".to_owned()),
            Failure::Raised(error) => return error,
        };
        Python::attach(|py| match exception(py, class) {
            Ok(class) => Self::from_value(match class.call1((&message,)) {
                Ok(exception) => exception,
                Err(error) => return error,
            }),
            Err(_) => PyRuntimeError::new_err(message),
        })
    }
}

/// The classes are written in Python, where one can have two bases.
fn exception<'py>(py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("taxogrove._errors")?.getattr(class)
}
