use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind, Result};

/// Declares the formats, each with its name, file ending and media type.
macro_rules! formats {
    ($($(#[$doc:meta])+ $format:ident: $name:literal, $extension:literal, $media_type:literal;)+) => {
        /// The formats of a hierarchy.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$doc])+ $format,)+
        }

        impl Format {
            /// All formats.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$format),+];

            /// The name by which a user asks for the format.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$format => $name,)+ }
            }

            /// The ending of its files, without the dot.
            #[must_use]
            pub fn extension(self) -> &'static str {
                match self { $(Self::$format => $extension,)+ }
            }

            /// Its media type; the text is always UTF-8.
            #[must_use]
            pub fn media_type(self) -> &'static str {
                match self { $(Self::$format => $media_type,)+ }
            }
        }
    };
}

formats! {
    /// SKOS in Turtle.
    Skos: "skos", "ttl", "text/turtle";
    /// SKOS in RDF/XML.
    SkosXml: "skos-xml", "rdf", "application/rdf+xml";
    /// SKOS in JSON-LD.
    SkosJsonLd: "skos-jsonld", "jsonld", "application/ld+json";
    /// OWL classes in RDF/XML.
    Owl: "owl", "owl", "application/rdf+xml";
    /// OWL classes in Turtle.
    OwlTurtle: "owl-turtle", "owl.ttl", "text/turtle";
    /// OBO 1.4, for ontologies of biology.
    Obo: "obo", "obo", "text/obo";
    /// Newick, for phylogenetic trees, with `[&posterior=..]`.
    Newick: "newick", "nwk", "text/x-nh";
    /// GraphViz.
    Dot: "dot", "dot", "text/vnd.graphviz";
    /// Mermaid, for Markdown pages.
    Mermaid: "mermaid", "mmd", "text/vnd.mermaid";
    /// A table of edges.
    Csv: "csv", "csv", "text/csv";
    /// One path from the root per line.
    Paths: "paths", "paths", "text/plain";
    /// Nested JSON; reads back to the same hierarchy, as SKOS does.
    Json: "json", "json", "application/json";
    /// The node-link JSON of networkx and D3.
    NodeLink: "node-link", "nodelink.json", "application/json";
    /// SSSOM, a table of mappings.
    Sssom: "sssom", "sssom.tsv", "text/tab-separated-values";
    /// A drawing.
    Svg: "svg", "svg", "image/svg+xml";
    /// A page with the drawing, the doubtful concepts and a table.
    Html: "html", "html", "text/html";
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let wanted = name.trim().to_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == wanted).ok_or_else(|| {
            let known = format!("one of {}", Self::ALL.map(Self::name).join(", "));
            ErrorKind::unknown_word(name, "format", known).into()
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
        assert!(
            unknown.starts_with("\"word\" is not a valid format; write one of skos, skos-xml, "),
            "{unknown}"
        );
    }
}
