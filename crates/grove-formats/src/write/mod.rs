//! Writers. Each turns a [`Hierarchy`] into text; none opens a file.

mod csv;
mod dot;
mod format;
mod html;
mod json;
mod mermaid;
mod newick;
mod obo;
mod options;
mod owl;
mod paths;
mod rdf;
mod samples;
mod skos;
mod sssom;
mod svg;
mod xml;

pub use csv::write_concepts;
pub use format::Format;
pub use options::WriteOptions;
pub use samples::{SampleFormat, write_samples};

use crate::{Error, Hierarchy};

/// Writes a hierarchy in a format.
///
/// ```
/// use grove_formats::{Format, Source, WriteOptions, read_hierarchy, write};
/// let food = read_hierarchy(&Source::new("food.tsv", b"fruit\tfood\napple\tfruit\n")?)?;
/// assert_eq!(write(&food, Format::Newick, &WriteOptions::default())?, "[&R] ((apple)fruit)food;\n");
/// assert_eq!(write(&food, Format::Paths, &WriteOptions::default())?, "food > fruit\nfood > fruit > apple\n");
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotAnIri`] for a base or licence that is none, [`Error::TooDeep`] for nested JSON beyond 60 levels.
pub fn write(hierarchy: &Hierarchy, format: Format, options: &WriteOptions) -> Result<String, Error> {
    match format {
        Format::Skos => rdf::write(&skos::triples(hierarchy, options)?, rdf::Syntax::Turtle, options),
        Format::SkosXml => rdf::write(&skos::triples(hierarchy, options)?, rdf::Syntax::RdfXml, options),
        Format::SkosJsonLd => rdf::write(&skos::triples(hierarchy, options)?, rdf::Syntax::JsonLd, options),
        Format::Owl => rdf::write(&owl::triples(hierarchy, options)?, rdf::Syntax::RdfXml, options),
        Format::OwlTurtle => rdf::write(&owl::triples(hierarchy, options)?, rdf::Syntax::Turtle, options),
        Format::Obo => Ok(obo::write(hierarchy)),
        Format::Newick => Ok(newick::write(hierarchy)),
        Format::Dot => Ok(dot::write(hierarchy, options)),
        Format::Mermaid => Ok(mermaid::write(hierarchy, options)),
        Format::Csv => Ok(csv::write(hierarchy)),
        Format::Paths => Ok(paths::write(hierarchy)),
        Format::Json => json::nested(hierarchy),
        Format::NodeLink => Ok(json::node_link(hierarchy)),
        Format::Sssom => sssom::write(hierarchy, options),
        Format::Svg => Ok(svg::write(hierarchy, options)),
        Format::Html => Ok(html::write(hierarchy, options)),
    }
}
