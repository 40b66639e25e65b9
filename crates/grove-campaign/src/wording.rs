use grove_formats::Relation;

use crate::Error;

/// The wording of a campaign's questions: a sentence with `{child}` and `{parent}` in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wording(String);

const CHILD: &str = "{child}";
const PARENT: &str = "{parent}";

impl Wording {
    /// The wording of a relation: an English sentence for those that Grove knows, or the owner's own.
    ///
    /// # Errors
    /// [`Error::BadSetting`] for a wording of the owner's that does not name both concepts.
    pub fn new(relation: &Relation) -> Result<Self, Error> {
        let template = match relation {
            Relation::IsA => "Is {child} a kind of {parent}?",
            Relation::PartOf => "Is {child} a part of {parent}?",
            Relation::LookUnder => "Would you look for {child} under {parent}?",
            Relation::Own(own) => own,
        };
        if !template.contains(CHILD) || !template.contains(PARENT) {
            let problem = format!(
                "{template:?} is neither is-a, part-of nor look-under, nor a question with {CHILD} and {PARENT} in it"
            );
            return Err(Error::BadSetting { setting: "relation", problem });
        }
        Ok(Self(template.to_owned()))
    }

    /// The question about two concepts. Placeholders in their names are not replaced.
    #[must_use]
    pub fn ask(&self, child: &str, parent: &str) -> String {
        let mut question = String::with_capacity(self.0.len() + child.len() + parent.len());
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('{') {
            question.push_str(&rest[..at]);
            rest = &rest[at..];
            let (name, placeholder) = if rest.starts_with(CHILD) {
                (child, CHILD)
            } else if rest.starts_with(PARENT) {
                (parent, PARENT)
            } else {
                ("{", "{")
            };
            question.push_str(name);
            rest = &rest[placeholder.len()..];
        }
        question.push_str(rest);
        question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_inserted_once() {
        let own = Relation::Own("{parent}{x} > {child}, {parent}?".into());
        assert_eq!(Wording::new(&own).unwrap().ask("{parent}", "{child}"), "{child}{x} > {parent}, {child}?");
        assert_eq!(Wording::new(&Relation::IsA).unwrap().ask("dog", "animal"), "Is dog a kind of animal?");
    }

    #[test]
    fn a_wording_must_name_both_concepts() {
        for wrong in ["is {child} good?", "", "kind-of"] {
            assert!(Wording::new(&Relation::Own(wrong.into())).is_err(), "{wrong}");
        }
    }
}
