use serde::{Deserialize, Serialize};

use crate::SubmissionStatus;

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct Page<T> {
    pub(super) results: Vec<T>,
    #[serde(rename = "_links")]
    links: Option<Links>,
}

#[derive(Deserialize)]
struct Links {
    next: Option<Link>,
}

#[derive(Deserialize)]
struct Link {
    href: Option<String>,
}

impl<T> Page<T> {
    /// Whether no page follows. The address of the next page is not used: it would be followed with our token wherever it leads.
    pub(super) fn is_last(&self) -> bool {
        let next =
            self.links.as_ref().and_then(|links| links.next.as_ref()).and_then(|next| next.href.as_ref());
        next.is_none_or(String::is_empty) || self.results.is_empty()
    }
}

/// Events that are sent to an address.
#[derive(Deserialize)]
pub(super) struct Subscription {
    pub(super) event_type: String,
    pub(super) target_url: String,
    /// Whether it was confirmed.
    #[serde(default)]
    pub(super) is_enabled: bool,
}

/// What a workspace can spend, in cents.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Balance {
    /// The currency.
    pub currency_code: String,
    /// All of it.
    pub total_balance: f64,
    /// What no study has reserved.
    pub available_balance: f64,
}

/// The answer of the panel's calculator.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
pub struct Price {
    /// With fees and tax, in cents.
    pub total_cost: f64,
}

/// Rewards per hour, in cents.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
pub struct Recommendation {
    /// The lowest that the panel accepts.
    pub min_reward_per_hour: f64,
    /// What it recommends.
    pub recommended_reward_per_hour: f64,
}

/// What a study has cost.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct StudyCost {
    /// For rewards.
    rewards: Option<Part>,
    /// For bonuses.
    bonuses: Option<Part>,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
struct Part {
    total: Amount,
}

/// Amounts are numbers of cents, in some places with their currency.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
enum Amount {
    Plain(f64),
    Named { amount: f64 },
}

impl StudyCost {
    /// Rewards and bonuses with fees and tax, in cents.
    pub(super) fn parts(&self) -> (f64, f64) {
        let amount = |part: &Option<Part>| match part.map(|part| part.total) {
            Some(Amount::Plain(amount) | Amount::Named { amount }) => amount,
            None => 0.0,
        };
        (amount(&self.rewards), amount(&self.bonuses))
    }
}

/// A study.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Study {
    /// The panel's id.
    pub id: String,
    /// Our name for it.
    #[serde(default)]
    pub internal_name: Option<String>,
    /// Its status.
    pub status: StudyStatus,
    /// How many people may take part.
    #[serde(default)]
    pub total_available_places: u32,
}

/// The status of a study.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StudyStatus {
    /// The study is a draft.
    #[serde(rename = "UNPUBLISHED")]
    Unpublished,
    /// To be published at a time.
    #[serde(rename = "SCHEDULED")]
    Scheduled,
    /// The study is being published.
    #[serde(rename = "PUBLISHING")]
    Publishing,
    /// People can take part.
    #[serde(rename = "ACTIVE")]
    Active,
    /// Nobody new can take part at present.
    #[serde(rename = "PAUSED")]
    Paused,
    /// All places are taken.
    #[serde(rename = "AWAITING REVIEW", alias = "AWAITING_REVIEW")]
    AwaitingReview,
    /// The study has ended.
    #[serde(rename = "COMPLETED")]
    Completed,
    /// A word that we do not know.
    #[serde(untagged)]
    Other(String),
}

impl StudyStatus {
    /// The panel's word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Unpublished => "UNPUBLISHED",
            Self::Scheduled => "SCHEDULED",
            Self::Publishing => "PUBLISHING",
            Self::Active => "ACTIVE",
            Self::Paused => "PAUSED",
            Self::AwaitingReview => "AWAITING REVIEW",
            Self::Completed => "COMPLETED",
            Self::Other(word) => word,
        }
    }

    /// Reads the panel's word.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        serde_json::from_value(word.into()).unwrap_or_else(|_| Self::Other(word.to_owned()))
    }
}

/// What can be done to a study.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StudyAction {
    /// Make a draft visible: from now on it costs money.
    Publish,
    /// Pause it: nobody new can take part.
    Pause,
    /// Resume it.
    Start,
    /// End the study.
    Stop,
}

impl StudyAction {
    /// The panel's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "PUBLISH",
            Self::Pause => "PAUSE",
            Self::Start => "START",
            Self::Stop => "STOP",
        }
    }

    /// Whether a study in this status has had it done already.
    #[must_use]
    pub const fn is_done(self, status: &StudyStatus) -> bool {
        match self {
            Self::Publish => !matches!(status, StudyStatus::Unpublished | StudyStatus::Scheduled),
            Self::Pause => {
                matches!(status, StudyStatus::Paused | StudyStatus::AwaitingReview | StudyStatus::Completed)
            }
            Self::Start => !matches!(status, StudyStatus::Paused | StudyStatus::Unpublished),
            Self::Stop => matches!(status, StudyStatus::AwaitingReview | StudyStatus::Completed),
        }
    }
}

/// A submission as the panel shows it: in lists the person is `participant_id`, alone it is `participant`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct PanelSubmission {
    /// Its id, which is also the person's session.
    pub id: String,
    /// The person.
    #[serde(alias = "participant")]
    pub participant_id: String,
    /// The study, where it is shown alone.
    #[serde(default)]
    pub study_id: Option<String>,
    status: String,
    /// The code that the person handed in.
    #[serde(default, alias = "study_code")]
    pub entered_code: Option<String>,
    /// How long the person took, in seconds.
    #[serde(default)]
    pub time_taken: Option<f64>,
    /// The bonuses that were paid, in cents, where it is shown alone.
    #[serde(default)]
    bonus_payments: Option<Vec<f64>>,
}

impl PanelSubmission {
    /// Its status; `None` for a word that we do not know.
    #[must_use]
    pub fn status(&self) -> Option<SubmissionStatus> {
        SubmissionStatus::parse(&self.status)
    }

    /// What was paid in bonuses, if the panel shows it.
    #[must_use]
    pub fn bonuses(&self) -> Option<crate::Cents> {
        let sum: f64 = self.bonus_payments.as_ref()?.iter().sum();
        crate::Cents::from_json_number(sum)
    }
}

/// A payment of bonuses that is prepared.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct BonusBatch {
    /// Its id.
    pub id: String,
    /// What it costs with fees and tax, in cents.
    #[serde(default)]
    total_amount: f64,
}

impl BonusBatch {
    /// What it costs with fees and tax.
    #[must_use]
    pub fn total(&self) -> Option<crate::Cents> {
        crate::Cents::from_json_number(self.total_amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cents;
    use serde_json::json;

    #[test]
    fn a_person_is_read_under_either_name() {
        let listed = json!({"id": "s", "participant_id": "p", "status": "AWAITING REVIEW", "study_code": "C", "time_taken": 61.5});
        let alone = json!({"id": "s", "participant": "p", "study_id": "st", "status": "TIMED-OUT", "bonus_payments": [25, 50]});
        let [listed, alone]: [PanelSubmission; 2] =
            [listed, alone].map(|json| serde_json::from_value(json).unwrap());
        assert_eq!(
            (listed.participant_id.as_str(), listed.status()),
            ("p", Some(SubmissionStatus::AwaitingReview))
        );
        assert_eq!((listed.entered_code.as_deref(), listed.bonuses()), (Some("C"), None));
        assert_eq!((alone.participant_id.as_str(), alone.status()), ("p", Some(SubmissionStatus::TimedOut)));
        assert_eq!(alone.bonuses(), Some(Cents(75)));
    }

    #[test]
    fn costs_are_read_with_and_without_currency() {
        let cost = |json| serde_json::from_value::<StudyCost>(json).unwrap().parts();
        assert_eq!(cost(json!({"rewards": {"total": 120}, "bonuses": null})), (120.0, 0.0));
        let named =
            json!({"rewards": {"total": {"amount": 120, "currency": "GBP"}}, "bonuses": {"total": 5.0}});
        assert_eq!(cost(named), (120.0, 5.0));
        assert_eq!(StudyStatus::parse("AWAITING REVIEW"), StudyStatus::AwaitingReview);
        assert_eq!(StudyStatus::parse("NEW WORD").as_str(), "NEW WORD");
    }
}
