use std::fmt;

use serde::{Deserialize, Serialize};

use crate::question::check_pair;
use crate::{ConceptKey, Error, Form, Kind, Question};

/// What a worker is shown: one thing to answer, in one of the four [`Form`]s.
///
/// The options are in the order in which they are shown, which is shuffled, since people prefer what comes first.
///
/// The constructors refuse what cannot be asked. The fields are public all the same, because a log or a file holds what was asked, sensible or
/// not; the inference checks again.
///
/// In JSON a yes/no screen is its question, `{"kind":"path","upper":1,"lower":2}`; the others begin with their form:
/// `{"form":"pick","lower":2,"options":[5,1,3]}`, `{"form":"tick","upper":1,"options":[4,2]}`, `{"form":"place","lower":2}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Fields<C>", into = "Fields<C>")]
#[serde(bound(serialize = "C: Clone + Serialize", deserialize = "C: Deserialize<'de>"))]
pub enum Screen<C> {
    /// One question, to be answered by yes or no.
    YesNo(Question<C>),
    /// Which of the options is `lower` under? The most specific one, where one is above another.
    Pick {
        /// The concept below.
        lower: C,
        /// The concepts that may be above it.
        options: Vec<C>,
    },
    /// Which of the options are under `upper`?
    Tick {
        /// The concept above.
        upper: C,
        /// The concepts that may be below it.
        options: Vec<C>,
    },
    /// What is `lower` directly under, of all concepts there are?
    Place {
        /// The concept to place.
        lower: C,
    },
}

impl<C: ConceptKey> Screen<C> {
    /// A pick: one concept, and two to eight that may be above it.
    ///
    /// # Errors
    /// [`Error::OptionCount`], [`Error::AmongOptions`], [`Error::Twice`] or [`Error::Root`].
    pub fn pick(lower: C, options: Vec<C>) -> Result<Self, Error> {
        Self::Pick { lower, options }.asked()
    }

    /// A tick: one concept, and up to twelve that may be below it.
    ///
    /// # Errors
    /// As [`Screen::pick`].
    pub fn tick(upper: C, options: Vec<C>) -> Result<Self, Error> {
        Self::Tick { upper, options }.asked()
    }

    /// A place: one concept, which may be anywhere.
    ///
    /// # Errors
    /// [`Error::Root`].
    pub fn place(lower: C) -> Result<Self, Error> {
        Self::Place { lower }.asked()
    }

    /// This screen, if it can be asked.
    fn asked(self) -> Result<Self, Error> {
        let (form, count) = (self.form(), self.options().len());
        if !form.options().contains(&count) {
            return Err(Error::OptionCount { form, count });
        }
        self.check().map(|()| self)
    }

    /// Checks what the constructors check, except that one option is enough: of a pick that was answered, others may have left the
    /// hierarchy since.
    ///
    /// # Errors
    /// As the constructors.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::YesNo(question) => question.check(),
            Self::Place { lower } if lower.is_root() => Err(Error::Root),
            Self::Place { .. } => Ok(()),
            Self::Pick { lower: subject, options } | Self::Tick { upper: subject, options } => {
                if !(1..=*self.form().options().end()).contains(&options.len()) {
                    return Err(Error::OptionCount { form: self.form(), count: options.len() });
                }
                for (at, option) in options.iter().enumerate() {
                    match check_pair(option, subject) {
                        Err(Error::SameConcept) => return Err(Error::AmongOptions),
                        checked => checked?,
                    }
                    if options[..at].contains(option) {
                        return Err(Error::Twice);
                    }
                }
                Ok(())
            }
        }
    }
}

impl<C> Screen<C> {
    /// Its form.
    pub const fn form(&self) -> Form {
        match self {
            Self::YesNo(_) => Form::YesNo,
            Self::Pick { .. } => Form::Pick,
            Self::Tick { .. } => Form::Tick,
            Self::Place { .. } => Form::Place,
        }
    }

    /// The options in the order shown; none for yes/no and place.
    pub fn options(&self) -> &[C] {
        match self {
            Self::Pick { options, .. } | Self::Tick { options, .. } => options,
            Self::YesNo(_) | Self::Place { .. } => &[],
        }
    }

    /// The question, if it is a yes/no screen.
    pub const fn question(&self) -> Option<&Question<C>> {
        if let Self::YesNo(question) = self { Some(question) } else { None }
    }

    /// The screen without its options: what it is about. Two screens about the same, answered at the same time, would tell much the same.
    #[must_use]
    pub fn topic(&self) -> Self
    where
        C: Clone,
    {
        match self {
            Self::Pick { lower, .. } => Self::Pick { lower: lower.clone(), options: Vec::new() },
            Self::Tick { upper, .. } => Self::Tick { upper: upper.clone(), options: Vec::new() },
            Self::YesNo(_) | Self::Place { .. } => self.clone(),
        }
    }

    /// The screen with its options in the order of their names: two people who were shown the same in another order were asked the same.
    #[must_use]
    pub fn in_order(mut self) -> Self
    where
        C: Ord,
    {
        if let Self::Pick { options, .. } | Self::Tick { options, .. } = &mut self {
            options.sort_unstable();
        }
        self
    }

    /// All concepts that are shown: the one asked about first (the lower one of a yes/no question), then the others in order.
    pub fn concepts(&self) -> impl Iterator<Item = &C> {
        let (subject, other) = match self {
            Self::YesNo(question) => (&question.lower, Some(&question.upper)),
            Self::Pick { lower, .. } | Self::Place { lower } => (lower, None),
            Self::Tick { upper, .. } => (upper, None),
        };
        std::iter::once(subject).chain(other).chain(self.options())
    }

    /// The same screen with its concepts named in another way.
    pub fn map<D>(self, mut name: impl FnMut(C) -> D) -> Screen<D> {
        match self {
            Self::YesNo(question) => Screen::YesNo(question.map(name)),
            Self::Pick { lower, options } => {
                Screen::Pick { lower: name(lower), options: options.into_iter().map(name).collect() }
            }
            Self::Tick { upper, options } => {
                Screen::Tick { upper: name(upper), options: options.into_iter().map(name).collect() }
            }
            Self::Place { lower } => Screen::Place { lower: name(lower) },
        }
    }

    /// The same screen with its concepts named in another way. Options without such a name are left out, and options with the same name are one.
    /// `None` if that leaves nothing to ask.
    pub fn try_map<D: ConceptKey>(self, mut name: impl FnMut(C) -> Option<D>) -> Option<Screen<D>> {
        let screen = match self {
            Self::YesNo(question) => Screen::YesNo(question.try_map(name)?),
            Self::Pick { lower, options } => {
                let lower = name(lower)?;
                Screen::Pick { options: named(&lower, options, name), lower }
            }
            Self::Tick { upper, options } => {
                let upper = name(upper)?;
                Screen::Tick { options: named(&upper, options, name), upper }
            }
            Self::Place { lower } => Screen::Place { lower: name(lower)? },
        };
        screen.check().is_ok().then_some(screen)
    }
}

/// The options that have a name, each once, without the concept asked about.
fn named<C, D: ConceptKey>(subject: &D, options: Vec<C>, name: impl FnMut(C) -> Option<D>) -> Vec<D> {
    let mut named = Vec::with_capacity(options.len());
    for option in options.into_iter().filter_map(name) {
        if option != *subject && !named.contains(&option) {
            named.push(option);
        }
    }
    named
}

impl<C> From<Question<C>> for Screen<C> {
    fn from(question: Question<C>) -> Self {
        Self::YesNo(question)
    }
}

impl<C: fmt::Display> fmt::Display for Screen<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::YesNo(Question { kind: Kind::Path, upper, lower }) => {
                write!(f, "is {lower} somewhere under {upper}?")
            }
            Self::YesNo(Question { kind: Kind::Edge, upper, lower }) => {
                write!(f, "is {lower} directly under {upper}?")
            }
            Self::Pick { lower, options } => write!(f, "which of these is {lower} under: {}?", List(options)),
            Self::Tick { upper, options } => {
                write!(f, "which of these are under {upper}: {}?", List(options))
            }
            Self::Place { lower } => write!(f, "where does {lower} belong?"),
        }
    }
}

/// Concepts with commas between.
pub(crate) struct List<'a, C>(pub(crate) &'a [C]);

impl<C: fmt::Display> fmt::Display for List<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, concept) in self.0.iter().enumerate() {
            write!(f, "{}{concept}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A screen as the fields of a JSON object, for those who describe it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ScreenFields))]
pub struct Fields<C> {
    /// The form; yes/no if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
    /// Whether a yes/no question is about a path or an edge; absent in other forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    /// The concept above, for yes/no and tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<C>,
    /// The concept below, for yes/no, pick and place.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<C>,
    /// The options of a pick or a tick, in the order shown; absent in other forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<C>>,
}

impl<C> Default for Fields<C> {
    fn default() -> Self {
        Self { form: None, kind: None, upper: None, lower: None, options: None }
    }
}

impl<C> From<Screen<C>> for Fields<C> {
    fn from(screen: Screen<C>) -> Self {
        let form = Some(screen.form());
        match screen {
            // Without its form, as before there were others.
            Screen::YesNo(Question { kind, upper, lower }) => {
                Self { kind: Some(kind), upper: Some(upper), lower: Some(lower), ..Self::default() }
            }
            Screen::Pick { lower, options } => {
                Self { form, lower: Some(lower), options: Some(options), ..Self::default() }
            }
            Screen::Tick { upper, options } => {
                Self { form, upper: Some(upper), options: Some(options), ..Self::default() }
            }
            Screen::Place { lower } => Self { form, lower: Some(lower), ..Self::default() },
        }
    }
}

impl<C> TryFrom<Fields<C>> for Screen<C> {
    type Error = &'static str;

    fn try_from(fields: Fields<C>) -> Result<Self, Self::Error> {
        match fields {
            Fields {
                form: None | Some(Form::YesNo),
                kind: Some(kind),
                upper: Some(upper),
                lower: Some(lower),
                ..
            } => Ok(Self::YesNo(Question { kind, upper, lower })),
            Fields { form: Some(Form::Pick), lower: Some(lower), options: Some(options), .. } => {
                Ok(Self::Pick { lower, options })
            }
            Fields { form: Some(Form::Tick), upper: Some(upper), options: Some(options), .. } => {
                Ok(Self::Tick { upper, options })
            }
            Fields { form: Some(Form::Place), lower: Some(lower), .. } => Ok(Self::Place { lower }),
            Fields { form, .. } => Err(match form {
                None | Some(Form::YesNo) => "a yes/no question needs the fields kind, upper and lower",
                Some(Form::Pick) => "a pick needs the fields lower and options",
                Some(Form::Tick) => "a tick needs the fields upper and options",
                Some(Form::Place) => "a place needs the field lower",
            }),
        }
    }
}

#[cfg(feature = "openapi")]
impl<C: utoipa::ToSchema> utoipa::PartialSchema for Screen<C> {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        Fields::<C>::schema()
    }
}

#[cfg(feature = "openapi")]
impl<C: utoipa::ToSchema> utoipa::ToSchema for Screen<C> {
    fn name() -> std::borrow::Cow<'static, str> {
        "Screen".into()
    }

    fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
        Fields::<C>::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Screen<u32>; 4] {
        [
            Question::path(1, 2).unwrap().into(),
            Screen::pick(2, vec![5, 1, 3]).unwrap(),
            Screen::tick(1, vec![4, 2]).unwrap(),
            Screen::place(2).unwrap(),
        ]
    }

    #[test]
    fn refuses_what_cannot_be_asked() {
        let count = |form, count| Err(Error::OptionCount { form, count });
        assert_eq!(Screen::pick(2, vec![1]), count(Form::Pick, 1));
        assert_eq!(Screen::pick(20, (1..=9).collect()), count(Form::Pick, 9));
        assert_eq!(Screen::tick(20, vec![]), count(Form::Tick, 0));
        assert_eq!(Screen::tick(20, (1..=13).collect()), count(Form::Tick, 13));
        assert_eq!(Screen::pick(2, vec![1, 2]), Err(Error::AmongOptions));
        assert_eq!(Screen::tick(2, vec![1, 2]), Err(Error::AmongOptions));
        assert_eq!(Screen::pick(2, vec![1, 3, 1]), Err(Error::Twice));
        assert_eq!(Screen::pick(2, vec![1, 0]), Err(Error::Root));
        assert_eq!(Screen::tick(0, vec![1, 2]), Err(Error::Root));
        assert_eq!(Screen::place(0), Err(Error::Root));
        assert!(Screen::pick(20, (1..=8).collect()).is_ok() && Screen::tick(20, (1..=12).collect()).is_ok());
        let message = Screen::pick(2, vec![1]).unwrap_err().to_string();
        assert_eq!(message, "a pick has 2 to 8 options, not 1");
    }

    #[test]
    fn the_order_of_options_does_not_make_another_screen() {
        let [one, other] = [[5, 1, 3], [1, 3, 5]].map(|options| Screen::pick(2, options.to_vec()).unwrap());
        assert_ne!(one, other);
        assert_eq!(one.clone().in_order(), other.clone().in_order());
        assert_eq!(one.topic(), other.topic());
        assert_ne!(one.topic(), Screen::pick(3, vec![1, 2]).unwrap().topic());
        for screen in all() {
            assert_eq!(screen.topic().form(), screen.form());
            assert!(screen.topic().options().is_empty());
        }
    }

    #[test]
    fn is_a_flat_json_object_that_yes_no_does_not_change() {
        let texts = [
            r#"{"kind":"path","upper":1,"lower":2}"#,
            r#"{"form":"pick","lower":2,"options":[5,1,3]}"#,
            r#"{"form":"tick","upper":1,"options":[4,2]}"#,
            r#"{"form":"place","lower":2}"#,
        ];
        for (screen, text) in all().into_iter().zip(texts) {
            assert_eq!(serde_json::to_string(&screen).unwrap(), text);
            assert_eq!(serde_json::from_str::<Screen<u32>>(text).unwrap(), screen);
        }
        let named = r#"{"form":"yesno","kind":"path","upper":1,"lower":2}"#;
        assert_eq!(serde_json::from_str::<Screen<u32>>(named).unwrap(), all()[0]);
        let refused = serde_json::from_str::<Screen<u32>>(r#"{"form":"pick","lower":2}"#).unwrap_err();
        assert!(refused.to_string().contains("a pick needs the fields lower and options"), "{refused}");
    }

    #[test]
    fn names_what_is_shown() {
        let shown = all().map(|screen| screen.concepts().copied().collect::<Vec<u32>>());
        assert_eq!(shown, [vec![2, 1], vec![2, 5, 1, 3], vec![1, 4, 2], vec![2]]);
        let words = all().map(|screen| screen.map(|number| format!("c{number}")).to_string());
        assert_eq!(words[0], "is c2 somewhere under c1?");
        assert_eq!(words[1], "which of these is c2 under: c5, c1, c3?");
        assert_eq!(words[2], "which of these are under c1: c4, c2?");
        assert_eq!(words[3], "where does c2 belong?");
    }

    #[test]
    fn leaves_out_options_without_a_name() {
        let [yes_no, pick, tick, place] = all();
        let but = |gone: u32| move |number: u32| (number != gone).then_some(number + 10);
        assert_eq!(pick.clone().try_map(but(1)), Some(Screen::Pick { lower: 12, options: vec![15, 13] }));
        assert_eq!(tick.clone().try_map(but(2)), Some(Screen::Tick { upper: 11, options: vec![14] }));
        let gone = |screen: Screen<u32>, gone| screen.try_map(but(gone)).is_none();
        assert!(gone(yes_no, 1) && gone(pick.clone(), 2) && gone(tick.clone(), 1) && gone(place, 2));
        // 5 becomes 1 in the pick, 4 becomes the upper concept itself in the tick.
        let merged = |number| Some(if number == 5 || number == 4 { 1 } else { number });
        assert_eq!(pick.try_map(merged), Some(Screen::Pick { lower: 2, options: vec![1, 3] }));
        assert_eq!(tick.try_map(merged), Some(Screen::Tick { upper: 1, options: vec![2] }));
    }
}
