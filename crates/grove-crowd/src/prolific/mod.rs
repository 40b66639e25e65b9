//! A client of the parts of Prolific's API that a study needs.
//!
//! Requests are retried only where that is harmless: reads, and what the panel documents as idempotent. Requests that
//! create a study or pay are sent once; after an uncertain error, the caller finds out by reading.

mod study;
mod types;

use std::time::Duration;

use hyper::Method;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::retry::jitter;
use crate::{Backoff, Cents, Error, Http, LaunchKeys, Outcome, PanelConnection, Secret};
pub use study::{CodeKind, NewStudy};
pub use types::{
    Balance, BonusBatch, PanelSubmission, Price, Recommendation, Study, StudyAction, StudyCost, StudyStatus,
};
use types::{Page, Subscription};

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How many items a page has.
const PAGE: u32 = 100;
/// The most pages that are read: a list whose last page points to itself must not loop forever.
const MOST_PAGES: u32 = 1_000;
/// The most bonuses in one payment.
pub(crate) const MOST_BONUSES: usize = 200;

/// An account at Prolific.
#[derive(Clone)]
pub struct Prolific {
    http: Http,
    who: String,
    base: String,
    token: Secret,
    backoff: Backoff,
}

impl Prolific {
    /// The most bonuses in one payment.
    pub const MOST_BONUSES: usize = MOST_BONUSES;

    /// A client of a panel.
    #[must_use]
    pub fn new(connection: &PanelConnection) -> Self {
        Self {
            http: Http::new(TIMEOUT),
            who: format!("the panel {:?}", connection.name),
            base: connection.base_url.clone(),
            token: connection.token.clone(),
            backoff: Backoff { attempts: 5, ..Backoff::default() },
        }
    }

    /// The same with other waits between attempts.
    #[must_use]
    pub fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// The name of the account's user; succeeds only with a valid token.
    ///
    /// # Errors
    /// [`Error`]; a bad token is refused with 401 or 403.
    pub async fn me(&self) -> Result<String, Error> {
        let me = self.get("/api/v1/users/me/").await?;
        Ok(me.get("id").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// What a workspace can spend.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn balance(&self, workspace: &str) -> Result<Balance, Error> {
        self.parse(self.get(&format!("/api/v1/workspaces/{}/balance/", safe(workspace)?)).await?)
    }

    /// What a study would cost, with fees and tax, by the panel's own calculator.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn price(&self, reward: Cents, places: u32) -> Result<Cents, Error> {
        let body = json!({"reward": reward.0, "total_available_places": places});
        let price: Price =
            self.parse(self.repeat(Method::POST, "/api/v1/study-cost-calculator/", Some(&body)).await?)?;
        self.amount(price.total_cost)
    }

    /// The lowest and the recommended reward per hour.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn recommendation(&self, workspace: &str, currency: &str) -> Result<Recommendation, Error> {
        let (workspace, currency) = (safe(workspace)?, safe(currency)?);
        self.parse(
            self.get(&format!(
                "/api/v1/reward-recommendations/?workspace_id={workspace}&currency={currency}"
            ))
            .await?,
        )
    }

    /// Makes a draft. Sent once; look for it with [`Prolific::find_study`] if the answer got lost.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn create_study(&self, study: &NewStudy) -> Result<Study, Error> {
        self.parse(self.once(Method::POST, "/api/v1/studies/", Some(&study.to_json())).await?)
    }

    /// The study with an internal name, if there is one.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn find_study(&self, internal_name: &str) -> Result<Option<Study>, Error> {
        let all: Vec<Study> = self.pages("/api/v1/studies/").await?.0;
        Ok(all.into_iter().find(|study| study.internal_name.as_deref() == Some(internal_name)))
    }

    /// A study.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn study(&self, id: &str) -> Result<Study, Error> {
        self.parse(self.get(&format!("/api/v1/studies/{}/", safe(id)?)).await?)
    }

    /// Publishes, pauses, starts or stops a study. Sent once: the panel refuses what has been done already.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn change_study(&self, id: &str, action: StudyAction) -> Result<(), Error> {
        let path = format!("/api/v1/studies/{}/transition/", safe(id)?);
        self.once(Method::POST, &path, Some(&json!({"action": action.as_str()}))).await.map(drop)
    }

    /// Sets the number of places, which can only grow once the study is published. Sent once: of several attempts, an earlier one could be carried out though
    /// the last one was refused, or after somebody has decided anew.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn set_places(&self, id: &str, places: u32) -> Result<Study, Error> {
        let path = format!("/api/v1/studies/{}/", safe(id)?);
        self.parse(self.once(Method::PATCH, &path, Some(&json!({"total_available_places": places}))).await?)
    }

    /// What a study has cost so far, rewards and bonuses, with fees and tax.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn cost(&self, id: &str) -> Result<Cents, Error> {
        let (rewards, bonuses) = self.costs(id).await?;
        Ok(rewards + bonuses)
    }

    /// What a study has cost so far in rewards, and in bonuses, each with fees and tax.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn costs(&self, id: &str) -> Result<(Cents, Cents), Error> {
        let cost: StudyCost = self.parse(self.get(&format!("/api/v1/studies/{}/cost/", safe(id)?)).await?)?;
        let (rewards, bonuses) = cost.parts();
        Ok((self.amount(rewards)?, self.amount(bonuses)?))
    }

    /// All submissions of a study, and when the panel made the last part of the list, in seconds since 1970 by its own clock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn submissions(&self, study: &str) -> Result<(Vec<PanelSubmission>, Option<i64>), Error> {
        self.pages(&format!("/api/v1/studies/{}/submissions/", safe(study)?)).await
    }

    /// One submission.
    ///
    /// # Errors
    /// [`Error`]; 404 if there is none of that id.
    pub async fn submission(&self, id: &str) -> Result<PanelSubmission, Error> {
        self.parse(self.get(&format!("/api/v1/submissions/{}/", safe(id)?)).await?)
    }

    /// Approves a submission. May be repeated.
    ///
    /// # Errors
    /// [`Error`]; 400 for one that cannot be approved.
    pub async fn approve(&self, id: &str) -> Result<(), Error> {
        let path = format!("/api/v1/submissions/{}/transition/", safe(id)?);
        self.repeat(Method::POST, &path, Some(&json!({"action": "APPROVE"}))).await.map(drop)
    }

    /// Asks a person to return their submission, which costs them less than a rejection. May be repeated.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn ask_to_return(&self, id: &str, reason: &str) -> Result<(), Error> {
        let path = format!("/api/v1/submissions/{}/request-return/", safe(id)?);
        self.repeat(Method::POST, &path, Some(&json!({"request_return_reasons": [reason]}))).await.map(drop)
    }

    /// Prepares a payment of bonuses; nothing is paid yet.
    ///
    /// # Errors
    /// [`Error`]; 400 if one of the submissions is not of the study.
    pub async fn prepare_bonuses(
        &self,
        study: &str,
        bonuses: &[(String, Cents)],
    ) -> Result<BonusBatch, Error> {
        let mut csv = String::new();
        for (submission, amount) in bonuses {
            csv.push_str(&format!("{},{}\n", safe(submission)?, amount.decimal()));
        }
        let body = json!({"study_id": study, "csv_bonuses": csv});
        self.parse(self.once(Method::POST, "/api/v1/submissions/bonus-payments/", Some(&body)).await?)
    }

    /// Pays a prepared payment. **Never to be sent twice**: a second request pays a second time. See [`crate::journal`].
    ///
    /// # Errors
    /// [`Error`]; unless [`Error::is_uncertain`] is false, it may have been paid.
    pub async fn pay_bonuses(&self, batch: &str) -> Result<(), Error> {
        let path = format!("/api/v1/bulk-bonus-payments/{}/pay/", safe(batch)?);
        self.once(Method::POST, &path, None).await.map(drop)
    }

    /// The keys with which the panel signs links. They are public, so our token is not sent.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn launch_keys(&self) -> Result<LaunchKeys, Error> {
        let url = format!("{}/.well-known/study/jwks.json", self.base);
        let answer = self.http.send(&self.who, Method::GET, &url, None, None).await?;
        Ok(LaunchKeys::read(&answer.json(&self.who)?))
    }

    /// Has the panel sign webhooks with a new secret, in place of the one that it may have used before.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn new_hook_secret(&self, workspace: &str) -> Result<Secret, Error> {
        let body = json!({"workspace_id": workspace});
        let made = self.once(Method::POST, "/api/v1/hooks/secrets/", Some(&body)).await?;
        let value = made.get("value").and_then(Value::as_str).unwrap_or_default();
        Secret::new(value, "the secret that the panel has made")
    }

    /// Whether the events of a kind are sent to an address already.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn is_subscribed(&self, workspace: &str, event: &str, target: &str) -> Result<bool, Error> {
        let path = format!("/api/v1/hooks/subscriptions/?workspace_id={}", safe(workspace)?);
        let all: Vec<Subscription> = self.pages(&path).await?.0;
        Ok(all.iter().any(|one| one.is_enabled && one.event_type == event && one.target_url == target))
    }

    /// Has the events of a kind sent to an address, and confirms that it is ours.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn subscribe(&self, workspace: &str, event: &str, target: &str) -> Result<(), Error> {
        let body = json!({"workspace_id": workspace, "event_type": event, "target_url": target});
        let answer = self.send(Method::POST, "/api/v1/hooks/subscriptions/", Some(&body)).await?;
        let made = answer.json(&self.who)?;
        let id = made.get("id").and_then(Value::as_str).ok_or_else(|| self.unreadable("it has no id"))?;
        let secret = answer.headers.get("x-hook-secret").and_then(|value| value.to_str().ok());
        let secret = secret.ok_or_else(|| self.unreadable("it has no X-Hook-Secret"))?;
        let path = format!("/api/v1/hooks/subscriptions/{}/", safe(id)?);
        self.repeat(Method::POST, &path, Some(&json!({"secret": secret}))).await.map(drop)
    }

    /// All items of a list. A page past the end is 404, which is the end.
    async fn pages<T: DeserializeOwned>(&self, path: &str) -> Result<(Vec<T>, Option<i64>), Error> {
        let (mut all, mut date) = (Vec::new(), None);
        for number in 1..=MOST_PAGES {
            let joint = if path.contains('?') { '&' } else { '?' };
            let page = format!("{path}{joint}page={number}&page_size={PAGE}");
            let answer = match self.repeatedly(Method::GET, &page, None).await {
                Err(Error::Refused { status: 404, .. }) if number > 1 => break,
                answer => answer?,
            };
            // The earliest: what changed after the first page was made may be missing.
            date = date.or(answer.date());
            let page: Page<T> = self.parse(answer.json(&self.who)?)?;
            let is_last = page.is_last();
            all.extend(page.results);
            if is_last {
                break;
            }
        }
        Ok((all, date))
    }

    async fn get(&self, path: &str) -> Result<Value, Error> {
        self.repeat(Method::GET, path, None).await
    }

    /// Sends a request that may be repeated.
    async fn repeat(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Error> {
        self.repeatedly(method, path, body).await?.json(&self.who)
    }

    async fn repeatedly(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<crate::HttpAnswer, Error> {
        let mut attempt = 1;
        loop {
            let answer = self.send(method.clone(), path, body).await;
            let error = match answer {
                Ok(answer) => match answer.json(&self.who) {
                    Ok(_) => return Ok(answer),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            match self.backoff.after(attempt, &error, jitter()) {
                Outcome::Retry(wait) => {
                    tracing::debug!(%error, path, attempt, "trying again");
                    tokio::time::sleep(wait).await;
                }
                Outcome::GiveUp => return Err(error),
            }
            attempt += 1;
        }
    }

    /// Sends a request that must not be repeated.
    async fn once(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Error> {
        self.send(method, path, body).await?.json(&self.who)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<crate::HttpAnswer, Error> {
        let url = format!("{}{path}", self.base);
        self.http.send(&self.who, method, &url, Some(("Token", &self.token)), body).await
    }

    fn parse<T: DeserializeOwned>(&self, json: Value) -> Result<T, Error> {
        serde_json::from_value(json).map_err(|error| self.unreadable(&error.to_string()))
    }

    fn amount(&self, number: f64) -> Result<Cents, Error> {
        Cents::from_json_number(number).ok_or_else(|| self.unreadable("an amount of money cannot be read"))
    }

    fn unreadable(&self, problem: &str) -> Error {
        Error::Unreadable { who: self.who.clone(), problem: problem.to_owned() }
    }
}

/// An id as a part of a path: ids come from addresses that anybody can make up.
fn safe(id: &str) -> Result<&str, Error> {
    let is_id = (1..=200).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_id
        .then_some(id)
        .ok_or(Error::BadPanel { field: "id", problem: "it is not an id of the panel".to_owned() })
}
