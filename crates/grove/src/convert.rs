//! `grove convert`: a hierarchy in, a hierarchy out.

use grove_formats::write;

use crate::args::Convert;
use crate::failure::bad_input;
use crate::files;

/// Reads a hierarchy and writes it in another format.
pub(crate) fn run(options: &Convert) -> anyhow::Result<()> {
    let writing = &options.writing;
    writing.out.as_deref().map_or(Ok(()), files::check_writable)?;
    let hierarchy = files::read_tree(&options.file)?;
    let heading = writing.heading(hierarchy.heading().clone());
    let hierarchy = hierarchy.with_heading(heading).map_err(bad_input)?;
    let text = write(&hierarchy, options.to, &writing.options()).map_err(bad_input)?;
    files::write(writing.out.as_deref(), &text)
}
