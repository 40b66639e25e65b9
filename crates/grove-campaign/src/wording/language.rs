//! The sentences of each relation and form, in every language of the interface.
//!
//! In English, names take articles by the rules of [`english`](super::english). In German and French an article depends on the gender of a
//! noun, and the case or an elision on what stands around it; in Arabic the case. Nobody can tell these from a name. So in these languages
//! the sentences quote the name, as grammars allow for a word that stands for itself: it has no article and is not inflected.

use grove_formats::Relation;

/// The sentences of one relation. `{child}` and `{parent}` are the names, with their articles where `{a child}` says so; `{is}` and `{does}`
/// agree with the child in number.
pub(super) struct Sentences {
    pub(super) yes_no: &'static str,
    pub(super) pick: &'static str,
    pub(super) tick: &'static str,
    pub(super) place: &'static str,
}

/// The texts of one language.
pub(super) struct Language {
    /// The primary subtag of the language.
    pub(super) tag: &'static str,
    /// What stands before and after a name that is quoted.
    pub(super) quotes: [&'static str; 2],
    is_a: Sentences,
    part_of: Sentences,
    look_under: Sentences,
}

impl Language {
    /// The texts for a language tag, by its primary subtag; English if there are none.
    pub(super) fn of(tag: &str) -> &'static Self {
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        ALL.iter().find(|language| language.tag == primary).unwrap_or(&ALL[0])
    }

    /// The sentences of a relation; none for an owner's own.
    pub(super) fn sentences(&self, relation: &Relation) -> Option<&Sentences> {
        match relation {
            Relation::IsA => Some(&self.is_a),
            Relation::PartOf => Some(&self.part_of),
            Relation::LookUnder => Some(&self.look_under),
            Relation::Own(_) => None,
        }
    }
}

pub(super) static ALL: [Language; 4] = [
    Language {
        tag: "en",
        quotes: ["“", "”"],
        is_a: Sentences {
            yes_no: "{Is} {a child} a kind of {parent}?",
            pick: "What {is} {a child} a kind of?",
            tick: "Which of these are kinds of {parent}?",
            place: "Where {does} {a child} belong?",
        },
        part_of: Sentences {
            yes_no: "{Is} {a child} a part of {a parent}?",
            pick: "What {is} {a child} a part of?",
            tick: "Which of these are parts of {a parent}?",
            place: "Where {does} {a child} belong?",
        },
        look_under: Sentences {
            yes_no: "Would you look for {a child} under {parent}?",
            pick: "What would you look for {a child} under?",
            tick: "Which of these would you look for under {parent}?",
            place: "Where would you look for {a child}?",
        },
    },
    Language {
        tag: "de",
        quotes: ["„", "“"],
        is_a: Sentences {
            yes_no: "Ist {child} eine Art von {parent}?",
            pick: "Wovon ist {child} eine Art?",
            tick: "Welche davon sind Arten von {parent}?",
            place: "Wohin gehört {child}?",
        },
        part_of: Sentences {
            yes_no: "Ist {child} ein Teil von {parent}?",
            pick: "Wovon ist {child} ein Teil?",
            tick: "Welche davon sind Teile von {parent}?",
            place: "Wohin gehört {child}?",
        },
        look_under: Sentences {
            yes_no: "Würden Sie {child} unter {parent} suchen?",
            pick: "Worunter würden Sie {child} suchen?",
            tick: "Was davon würden Sie unter {parent} suchen?",
            place: "Wo würden Sie {child} suchen?",
        },
    },
    // The spaces inside guillemets and before a question mark do not break.
    Language {
        tag: "fr",
        quotes: ["«\u{a0}", "\u{a0}»"],
        is_a: Sentences {
            yes_no: "Est-ce que {child} est une sorte de {parent}\u{a0}?",
            pick: "De quoi {child} est-il une sorte\u{a0}?",
            tick: "Parmi ces éléments, lesquels sont des sortes de {parent}\u{a0}?",
            place: "Où placeriez-vous {child}\u{a0}?",
        },
        part_of: Sentences {
            yes_no: "Est-ce que {child} fait partie de {parent}\u{a0}?",
            pick: "De quoi {child} fait-il partie\u{a0}?",
            tick: "Parmi ces éléments, lesquels font partie de {parent}\u{a0}?",
            place: "Où placeriez-vous {child}\u{a0}?",
        },
        look_under: Sentences {
            yes_no: "Chercheriez-vous {child} sous {parent}\u{a0}?",
            pick: "Sous quoi chercheriez-vous {child}\u{a0}?",
            tick: "Parmi ces éléments, lesquels chercheriez-vous sous {parent}\u{a0}?",
            place: "Où chercheriez-vous {child}\u{a0}?",
        },
    },
    // Every sentence begins with an Arabic word, by which browsers recognise its direction whatever the script of the name.
    Language {
        tag: "ar",
        quotes: ["«", "»"],
        is_a: Sentences {
            yes_no: "هل {child} نوع من {parent}؟",
            pick: "ما الشيء الذي يُعدّ {child} نوعًا منه؟",
            tick: "أيّ من هذه نوع من {parent}؟",
            place: "أين مكان {child}؟",
        },
        part_of: Sentences {
            yes_no: "هل {child} جزء من {parent}؟",
            pick: "ما الشيء الذي يُعدّ {child} جزءًا منه؟",
            tick: "أيّ من هذه جزء من {parent}؟",
            place: "أين مكان {child}؟",
        },
        look_under: Sentences {
            yes_no: "هل ستبحث عن {child} تحت {parent}؟",
            pick: "تحت ماذا ستبحث عن {child}؟",
            tick: "عن أيّ من هذه ستبحث تحت {parent}؟",
            place: "أين ستبحث عن {child}؟",
        },
    },
];
