//! What owners choose from.

use grove_campaign::Preset;
use grove_vocabulary::Form;
use serde::Deserialize;

/// The languages in which questions are worded and the page for workers is written.
pub(super) const LANGUAGES: &[(&str, &str)] =
    &[("en", "English"), ("de", "Deutsch"), ("fr", "Français"), ("ar", "العربية")];

/// Currencies that are offered; any other code of three letters will do.
pub(super) const CURRENCIES: &[&str] =
    &["USD", "EUR", "GBP", "CHF", "JPY", "INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "BRL", "KES"];

/// Who answers, each with a label and what follows from it.
pub(super) const PRESETS: [(Preset, &str, &str); 3] = [
    (Preset::Crowd, "Many people", "They need not know every concept."),
    (
        Preset::Owner,
        "You alone",
        "You know the concepts well: questions of all forms, and few are asked twice.",
    ),
    (
        Preset::Paper,
        "Many people, as in the paper",
        "Yes/no questions alone. Names, and a hierarchy to start from, are no evidence.",
    ),
];

/// The forms of question, each with a label and an example.
const FORMS: [(Form, &str, &str); 4] = [
    (Form::YesNo, "Yes or no", "Is a lime a kind of fruit?"),
    (Form::Pick, "Pick one", "Which of these is a lime a kind of?"),
    (Form::Tick, "Tick all that apply", "Which of these are kinds of fruit?"),
    (Form::Place, "Place", "Where in the hierarchy does a lime belong?"),
];

/// What owners call a form of question.
pub(super) fn form_label(form: Form) -> &'static str {
    FORMS.iter().find(|one| one.0 == form).map_or("", |one| one.1)
}

/// Why no form at all is refused.
pub(super) const NO_FORM: &str = "Tick at least one of the forms of question.";

/// The boxes for the forms of question. A browser sends those that are ticked.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct FormBoxes {
    yesno: String,
    pick: String,
    tick: String,
    place: String,
}

/// One box.
pub(super) struct FormBox {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) example: &'static str,
    pub(super) is_ticked: bool,
}

impl FormBoxes {
    pub(super) fn of(forms: &[Form]) -> Self {
        let text = |form| ticked(forms.contains(&form));
        Self {
            yesno: text(Form::YesNo),
            pick: text(Form::Pick),
            tick: text(Form::Tick),
            place: text(Form::Place),
        }
    }

    fn has(&self, form: Form) -> bool {
        let text = match form {
            Form::YesNo => &self.yesno,
            Form::Pick => &self.pick,
            Form::Tick => &self.tick,
            Form::Place => &self.place,
        };
        !text.is_empty()
    }

    /// The forms that are ticked. Those that were chosen before stay in their order.
    pub(super) fn forms(&self, before: &[Form]) -> Vec<Form> {
        let new = Form::ALL.iter().filter(|form| !before.contains(form));
        before.iter().chain(new).copied().filter(|form| self.has(*form)).collect()
    }

    pub(super) fn boxes(&self) -> Vec<FormBox> {
        let one = |(form, label, example): (Form, _, _)| FormBox {
            name: form.as_str(),
            label,
            example,
            is_ticked: self.has(form),
        };
        FORMS.into_iter().map(one).collect()
    }
}

/// What a browser sends of a box.
pub(super) fn ticked(is_ticked: bool) -> String {
    if is_ticked { "on".to_owned() } else { String::new() }
}
