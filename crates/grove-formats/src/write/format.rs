use std::fmt;
use std::str::FromStr;

use crate::Error;

/// What a hierarchy can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// SKOS in Turtle.
    Skos,
    /// SKOS in RDF/XML.
    SkosXml,
    /// SKOS in JSON-LD.
    SkosJsonLd,
    /// OWL classes in RDF/XML.
    Owl,
    /// OWL classes in Turtle.
    OwlTurtle,
    /// OBO 1.4, as ontologies of biology are kept.
    Obo,
    /// Newick, as phylogenetic trees are kept, with `[&posterior=..]`.
    Newick,
    /// GraphViz.
    Dot,
    /// Mermaid, for Markdown pages.
    Mermaid,
    /// A table of edges.
    Csv,
    /// One path from the root per line.
    Paths,
    /// Nested JSON; reads back to the same hierarchy, as SKOS does.
    Json,
    /// The node-link JSON of networkx and D3.
    NodeLink,
    /// SSSOM, a table of mappings.
    Sssom,
    /// A drawing.
    Svg,
    /// A page with the drawing, the table and the doubtful concepts.
    Html,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Skos,
        Self::SkosXml,
        Self::SkosJsonLd,
        Self::Owl,
        Self::OwlTurtle,
        Self::Obo,
        Self::Newick,
        Self::Dot,
        Self::Mermaid,
        Self::Csv,
        Self::Paths,
        Self::Json,
        Self::NodeLink,
        Self::Sssom,
        Self::Svg,
        Self::Html,
    ];

    /// Name, file ending and media type.
    fn facts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Skos => ("skos", "ttl", "text/turtle"),
            Self::SkosXml => ("skos-xml", "rdf", "application/rdf+xml"),
            Self::SkosJsonLd => ("skos-jsonld", "jsonld", "application/ld+json"),
            Self::Owl => ("owl", "owl", "application/rdf+xml"),
            Self::OwlTurtle => ("owl-turtle", "owl.ttl", "text/turtle"),
            Self::Obo => ("obo", "obo", "text/obo"),
            Self::Newick => ("newick", "nwk", "text/x-nh"),
            Self::Dot => ("dot", "dot", "text/vnd.graphviz"),
            Self::Mermaid => ("mermaid", "mmd", "text/vnd.mermaid"),
            Self::Csv => ("csv", "csv", "text/csv"),
            Self::Paths => ("paths", "paths", "text/plain"),
            Self::Json => ("json", "json", "application/json"),
            Self::NodeLink => ("node-link", "nodelink.json", "application/json"),
            Self::Sssom => ("sssom", "sssom.tsv", "text/tab-separated-values"),
            Self::Svg => ("svg", "svg", "image/svg+xml"),
            Self::Html => ("html", "html", "text/html"),
        }
    }

    /// The name by which a user asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// The ending of its files, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.facts().1
    }

    /// Its media type; the text is always UTF-8.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.facts().2
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let wanted = name.trim().to_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == wanted).ok_or_else(|| Error::UnknownFormat {
            found: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        assert_eq!(Format::ALL.map(|format| format.name().parse::<Format>().unwrap()), Format::ALL);
        let unknown = "word".parse::<Format>().unwrap_err().to_string();
        assert!(unknown.starts_with("\"word\" is no format; choose one of skos, skos-xml, "), "{unknown}");
    }
}
