//! Tells the linker of macOS that the interpreter has the symbols that are undefined here; others do not ask.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
