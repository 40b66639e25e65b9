//! Edits in words.

use std::collections::HashMap;

use grove_campaign::{Edited, State, Status};
use grove_store::{Correction, CredentialId, VoteSource};

/// A correction as a statement.
pub(super) fn correction_in_words(state: &State, correction: &Correction) -> String {
    match correction.map(|concept| state.name_of(concept)) {
        grove_vocabulary::Correction::DirectlyUnder { lower, upper } => {
            format!("{lower} is directly under {upper}")
        }
        grove_vocabulary::Correction::SomewhereUnder { lower, upper } => {
            format!("{lower} is somewhere under {upper}")
        }
        grove_vocabulary::Correction::NotUnder { lower, upper } => format!("{lower} is not under {upper}"),
        grove_vocabulary::Correction::TopLevel { concept } => format!("{concept} is at the top level"),
    }
}

/// The names of links by their ids.
pub(super) type LinkNames = HashMap<CredentialId, String>;

/// What an edit did, as the beginning of a sentence.
pub(super) fn edit_in_words(state: &State, links: &LinkNames, edited: &Edited) -> String {
    let name = |number: u32| format!("“{}”", state.name_of(number));
    match edited {
        Edited::Created { concepts } => {
            format!("Created the campaign with {}", counted(*concepts, "concept"))
        }
        Edited::Added { first, last } if first == last => format!("Added {}", name(*first)),
        Edited::Added { first, last } => {
            format!("Added {}: {} to {}", counted(last - first + 1, "concept"), name(*first), name(*last))
        }
        Edited::Renamed { before, after, .. } => format!("Renamed “{}” to “{after}”", before.0),
        Edited::Redescribed { concept, .. } => format!("Changed the definition of {}", name(*concept)),
        Edited::ArticleSet { concept, .. } => format!("Changed the article of {}", name(*concept)),
        Edited::Removed { concept } => format!("Removed {}", name(*concept)),
        Edited::Restored { concept } => format!("Restored {}", name(*concept)),
        Edited::Merged { gone, kept } => format!("Merged {} into {}", name(*gone), name(*kept)),
        Edited::Unmerged { gone, kept } => format!("Separated {} from {}", name(*gone), name(*kept)),
        Edited::Corrected { correction, .. } => corrected(state, correction),
        Edited::CorrectionUndone { correction } => {
            format!("Undid the correction that {}", correction_in_words(state, correction))
        }
        Edited::SettingsChanged { .. } => "Changed the settings".to_owned(),
        Edited::StatusChanged { after, .. } => match after {
            Status::Asking => "Resumed the campaign",
            Status::Paused => "Paused the campaign",
            Status::Stopped => "Stopped the campaign",
        }
        .to_owned(),
        Edited::Excluded { source } => format!("Excluded the votes of {}", source_in_words(links, source)),
        Edited::Included { source } => {
            format!("Included the votes of {} again", source_in_words(links, source))
        }
        Edited::WorkerErased { .. } => "Anonymised a worker".to_owned(),
        _ => "Changed the campaign".to_owned(),
    }
}

fn corrected(state: &State, correction: &Correction) -> String {
    match correction.map(|concept| state.name_of(concept)) {
        grove_vocabulary::Correction::DirectlyUnder { lower, upper } => {
            format!("Moved “{lower}” under “{upper}”")
        }
        grove_vocabulary::Correction::TopLevel { concept } => format!("Moved “{concept}” to the top level"),
        grove_vocabulary::Correction::NotUnder { lower, upper } => {
            format!("Ruled out that “{lower}” is under “{upper}”")
        }
        grove_vocabulary::Correction::SomewhereUnder { lower, upper } => {
            format!("Placed “{lower}” somewhere under “{upper}”")
        }
    }
}

fn source_in_words(links: &LinkNames, source: &VoteSource) -> String {
    match source {
        VoteSource::Worker(_) => source.to_string(),
        VoteSource::Link(link) => match links.get(link).map(String::as_str) {
            None | Some("") => "an unnamed link".to_owned(),
            Some(name) => format!("the link “{name}”"),
        },
    }
}

/// A number with what it counts.
pub(super) fn counted(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
