//! The study at the service: drafted, priced, published, paused and stopped by its owner alone.

use std::time::Duration;

use grove_crowd::{
    Cents, CodeKind, Error as CrowdError, NewStudy, PanelConnection, Prolific, Study, StudyAction, wage,
};
use grove_store::{Bonus, BonusId, Moment, Panel, PanelId};
use uuid::Uuid;

use super::super::{Access, Operation, Workspace};
use super::panels::to_json;
use super::{PanelSettings, StudySettings, service, settings_of, study_of};
use crate::Error;

/// What a study costs and pays, by the service's own calculation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quote {
    /// For all places, with fees and tax.
    pub cost: Cents,
    /// How many places those are.
    pub places: u32,
    /// What rewards and bonuses have cost so far, with fees and tax.
    pub spent: Cents,
    /// What the workspace has that no study has reserved.
    pub available: Cents,
    /// The currency.
    pub currency: String,
    /// The hourly wage, by the measured median time if there is one, otherwise by the time that the study says.
    pub hourly: Cents,
    /// The lowest hourly wage that the service accepts.
    pub least_hourly: Cents,
    /// The hourly wage that it recommends.
    pub recommended_hourly: Cents,
    /// The reward that pays the recommended wage for the measured time.
    pub recommended_reward: Cents,
    /// The seconds that the wage is computed by.
    pub seconds: u64,
    /// Whether those were measured.
    pub is_measured: bool,
}

/// A quote, or why there was none, with when it was made and the status of the study then.
#[derive(Clone)]
pub(in crate::operations) struct RecentQuote {
    at: Moment,
    status: String,
    quote: Result<Quote, Error>,
}

/// How long a quote is shown before the service is asked again, in microseconds.
const RECENT: i64 = 60_000_000;
/// How long a page waits for it.
const PATIENCE: Duration = Duration::from_secs(8);

impl Access {
    /// What the study of a panel costs and pays.
    ///
    /// # Errors
    /// [`Error::Crowd`].
    pub async fn quote(&self, id: PanelId) -> Result<Quote, Error> {
        let view = self.panel(id).await?;
        let study = wanted(&view.settings)?;
        let (client, connection) = service(&self.workspace, &view.panel)?;
        let (places, spent) = match &view.panel.study {
            Some(study) => {
                let (rewards, bonuses) = client.costs(study).await?;
                (client.study(study).await?.total_available_places, rewards + bonuses)
            }
            None => (study.places, Cents::ZERO),
        };
        let balance = client.balance(&connection.workspace).await?;
        let wages = client.recommendation(&connection.workspace, &balance.currency_code).await?;
        let cents = |number: f64| Cents::from_json_number(number.max(0.0)).unwrap_or_default();
        let (measured, said) = (view.tally.median_seconds, u64::from(study.minutes) * 60);
        let seconds = measured.unwrap_or(said).max(1);
        Ok(Quote {
            cost: client.price(study.reward, places).await?,
            places,
            spent,
            available: cents(balance.available_balance),
            currency: balance.currency_code,
            hourly: wage::hourly(study.reward, seconds).unwrap_or_default(),
            least_hourly: cents(wages.min_reward_per_hour),
            recommended_hourly: cents(wages.recommended_reward_per_hour),
            recommended_reward: wage::reward(seconds, cents(wages.recommended_reward_per_hour))
                .unwrap_or_default(),
            seconds,
            is_measured: measured.is_some(),
        })
    }

    /// The same, at most a minute old: for pages, which are looked at often, and which must not wait for a service that does not answer.
    ///
    /// # Errors
    /// [`Error::Crowd`].
    pub async fn recent_quote(&self, id: PanelId) -> Result<Quote, Error> {
        let panel = self.known(id).await?.panel;
        let known = self.workspace.shared.quotes.lock().await.get(&id).cloned();
        let now = self.workspace.now();
        let is_recent = |known: &RecentQuote| (0..RECENT).contains(&(now.0 - known.at.0));
        if let Some(known) = known.filter(|known| is_recent(known) && known.status == panel.status) {
            return known.quote;
        }
        let quote = tokio::time::timeout(PATIENCE, self.quote(id)).await;
        let quote = quote.unwrap_or_else(|_| {
            let name = panel.connection.clone().unwrap_or_default();
            let who = format!("the panel {name:?}");
            Err(CrowdError::NoAnswer { who, problem: "it takes too long".to_owned() }.into())
        });
        let recent = RecentQuote { at: now, status: panel.status, quote: quote.clone() };
        self.workspace.shared.quotes.lock().await.insert(id, recent);
        quote
    }

    /// Makes the draft of a study, which costs nothing. `base` is the address of the page to which the panel's id is appended. A draft that was made
    /// before, and whose answer got lost, is found again by its name.
    ///
    /// # Errors
    /// [`Error::Crowd`].
    pub async fn draft_study(&self, id: PanelId, base: &str) -> Result<(), Error> {
        // Two drafts of one panel could both be published.
        let _spending = self.workspace.spend(id).await;
        let known = self.known(id).await?;
        if known.panel.study.is_some() {
            return Ok(());
        }
        let study = wanted(&known.settings)?.clone();
        let (client, connection) = self.spending_service(&known.panel).await?;
        let entry = &known.settings.entry;
        let mut codes = vec![(entry.code.clone(), CodeKind::Completed)];
        codes.extend(entry.turned_away_code.clone().map(|code| (code, CodeKind::NoConsent)));
        let new = NewStudy {
            name: study.name,
            internal_name: format!("grove-{}", id.0.simple()),
            description: study.description,
            url: entry.entry_url(&format!("{base}/p/{}", id.0.simple())),
            places: study.places,
            minutes: study.minutes,
            reward: study.reward,
            project: connection.project.clone(),
            codes,
            metadata: self.campaign.id().to_string(),
        };
        let made = match client.find_study(&new.internal_name).await? {
            Some(made) => made,
            None => client.create_study(&new).await?,
        };
        self.workspace.remember(&known.panel, &made).await
    }

    /// Publishes the study: from now on it costs money. Refused if its price is above the owner's budget or the operator's limit, or is not the
    /// one that the owner has agreed to.
    ///
    /// # Errors
    /// [`CrowdError::OverBudget`], and errors from the service.
    pub async fn publish_study(&self, id: PanelId, agreed: Option<Cents>) -> Result<(), Error> {
        let known = self.known(id).await?;
        let (client, connection) = self.spending_service(&known.panel).await?;
        let study = wanted(&known.settings)?;
        let places = client.study(study_of(&known.panel)?).await?.total_available_places;
        let cost = client.price(study.reward, places).await?;
        if let Some(agreed) = agreed.filter(|agreed| *agreed != cost) {
            return Err(CrowdError::OverBudget(format!(
                "the study would cost {cost} now, not {agreed}; look at the new price and publish it again"
            ))
            .into());
        }
        within_budget(cost, study, &connection)?;
        self.workspace.change_study(&known.panel, StudyAction::Publish).await
    }

    /// Gives the study more places; there cannot be fewer. Refused if that is above the owner's budget or the operator's limit.
    ///
    /// # Errors
    /// [`CrowdError::OverBudget`], and errors from the service.
    pub async fn grow_study(&self, id: PanelId, places: u32) -> Result<(), Error> {
        let access = self.clone();
        to_the_end(async move { access.grow(id, places).await }).await
    }

    async fn grow(&self, id: PanelId, places: u32) -> Result<(), Error> {
        let _spending = self.workspace.spend(id).await;
        let mut known = self.known(id).await?;
        let (client, connection) = self.spending_service(&known.panel).await?;
        let study = study_of(&known.panel)?.to_owned();
        let has = client.study(&study).await?.total_available_places;
        if places <= has {
            return Err(Error::Panel(format!("the study has {has} places, and places can only be added")));
        }
        let wanted = known.settings.study.as_mut().ok_or_else(no_study)?;
        let bonuses = self.workspace.committed_bonuses(&client, id, &study).await?;
        within_budget(client.price(wanted.reward, places).await? + bonuses, wanted, &connection)?;
        // First, so that whoever stops the study while the service is asked has the last word.
        let before = wanted.most_places;
        wanted.most_places = before.max(places);
        self.workspace.store().change_panel_settings(&known.panel, to_json(&known.settings)).await?;
        known.panel.commitments += 1;
        let granted = self.workspace.ask_for_places(&client, &connection, &known.panel, places).await;
        if !matches!(granted, Ok(true)) {
            let lower = |study: &mut StudySettings| {
                if study.most_places == places {
                    study.most_places = before;
                }
                Ok(())
            };
            self.workspace.change_settings(id, lower).await?;
        }
        if !granted? {
            return Err(Error::Panel(
                "the study was changed, or its money spent, at the same moment; look at it and try again"
                    .to_owned(),
            ));
        }
        self.workspace.remember(&known.panel, &client.study(&study).await?).await
    }

    /// Pauses the study: nobody new can take part until it is resumed, also if it was paused with its campaign before.
    ///
    /// # Errors
    /// Errors from the service.
    pub async fn pause_study(&self, id: PanelId) -> Result<(), Error> {
        let access = self.clone();
        to_the_end(async move {
            // A synchronisation that is under way may be about to resume it.
            let _spending = access.workspace.spend(id).await;
            let known = access.known(id).await?;
            access.workspace.store().set_paused_with_campaign(&known.panel, None, false).await?;
            access.workspace.change_study(&known.panel, StudyAction::Pause).await
        })
        .await
    }

    /// Resumes the study.
    ///
    /// # Errors
    /// Errors from the service.
    pub async fn resume_study(&self, id: PanelId) -> Result<(), Error> {
        let access = self.clone();
        to_the_end(async move {
            let _spending = access.workspace.spend(id).await;
            let known = access.known(id).await?;
            access.spending_service(&known.panel).await?;
            access.workspace.store().set_paused_with_campaign(&known.panel, None, false).await?;
            access.workspace.change_study(&known.panel, StudyAction::Start).await
        })
        .await
    }

    /// Ends the study. Those who take part may finish. It does not grow by itself any more.
    ///
    /// # Errors
    /// Errors from the service.
    pub async fn stop_study(&self, id: PanelId) -> Result<(), Error> {
        let access = self.clone();
        to_the_end(async move {
            // A synchronisation that is under way may be about to add places.
            let _spending = access.workspace.spend(id).await;
            let panel = access.known(id).await?.panel;
            let (client, _) = service(&access.workspace, &panel)?;
            // First, so that the study stays ended whenever this program is killed.
            let places = client.study(study_of(&panel)?).await?.total_available_places;
            access.workspace.end_growth(id, places).await?;
            access.workspace.store().set_paused_with_campaign(&panel, None, false).await?;
            access.workspace.change_study(&panel, StudyAction::Stop).await
        })
        .await
    }

    /// Asks the service about the study now, instead of waiting until it is next asked anyway.
    ///
    /// # Errors
    /// Errors from the service.
    pub async fn sync_study(&self, id: PanelId) -> Result<super::Synced, Error> {
        let known = self.known(id).await?;
        self.workspace.sync_panel(known.panel).await
    }

    /// Approves submissions: paid for by the service as soon as it has taken the request, which is sent until it is.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] submission.
    pub async fn approve(&self, id: PanelId, submissions: Vec<String>) -> Result<(), Error> {
        let known = self.known(id).await?;
        self.spending_service(&known.panel).await?;
        Ok(self.workspace.store().decide(known.panel.id, submissions, "approve").await?)
    }

    /// Approves all who have answered and wait for it, except those who do not seem to read. Returns how many.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn approve_all(&self, id: PanelId) -> Result<usize, Error> {
        let view = self.panel(id).await?;
        let ready = super::sync::ready_to_approve(&view);
        let count = ready.len();
        self.approve(id, ready).await?;
        Ok(count)
    }

    /// Asks people to return their submissions, which costs them less than a rejection.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] submission.
    pub async fn ask_to_return(&self, id: PanelId, submissions: Vec<String>) -> Result<(), Error> {
        let known = self.known(id).await?;
        Ok(self.workspace.store().decide(known.panel.id, submissions, "return").await?)
    }

    /// Writes bonuses into the journal, from which they are paid once each.
    ///
    /// # Errors
    /// [`Error::Panel`] if a submission has a bonus under way, or is none of this panel's.
    pub async fn give_bonuses(&self, id: PanelId, bonuses: &[(String, Cents)]) -> Result<(), Error> {
        let known = self.known(id).await?;
        self.caller.require(Operation::Recruit)?;
        self.spending_service(&known.panel).await?;
        let now = self.workspace.now();
        let mut entries = Vec::with_capacity(bonuses.len());
        for (submission, amount) in bonuses {
            if !known.submissions.iter().any(|one| one.submission == *submission) {
                return Err(grove_store::Error::Unknown("submission").into());
            }
            let cents = i64::try_from(amount.0).ok().filter(|cents| (1..=1_000_000).contains(cents));
            let cents = cents.ok_or_else(|| Error::Panel("a bonus is 0.01 to 10,000.00".to_owned()))?;
            entries.push(Bonus {
                id: BonusId(Uuid::now_v7()),
                panel: id,
                submission: submission.clone(),
                cents,
                status: "intended".to_owned(),
                batch: None,
                created: now,
                sent: None,
            });
        }
        self.workspace.store().intend_bonuses(id, entries).await.map_err(|error| match error {
            grove_store::Error::Conflict => {
                Error::Panel("one of them has a bonus that is not paid yet; wait until it is".to_owned())
            }
            other => other.into(),
        })
    }

    /// Changes what an owner may change of a study: name and description while it is a draft; budget, the most places, and automatic approval at any
    /// time.
    ///
    /// # Errors
    /// [`Error::Panel`].
    pub async fn set_study_limits(
        &self,
        id: PanelId,
        most_places: u32,
        budget: Cents,
        approve: bool,
    ) -> Result<(), Error> {
        self.known(id).await?;
        let change = move |study: &mut StudySettings| {
            (study.most_places, study.budget, study.approve) = (most_places, budget, approve);
            study.check()
        };
        let workspace = self.workspace.clone();
        to_the_end(async move {
            // A synchronisation that is under way may be about to spend by the old ones.
            let _spending = workspace.spend(id).await;
            workspace.change_settings(id, change).await
        })
        .await
    }
}

impl Access {
    /// The service of a panel, for what leads to costs: refused if the operator does not let the caller's account use it (any more).
    async fn spending_service(&self, panel: &Panel) -> Result<(Prolific, PanelConnection), Error> {
        if let Some(name) = &panel.connection {
            self.check_connection(name).await?;
        }
        service(&self.workspace, panel)
    }
}

/// Does something to the end, also if whoever has asked for it does not wait so long: it may have to wait for a synchronisation, which waits for a service.
async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    tokio::spawn(work).await.unwrap_or_else(|error| Err(Error::Panel(error.to_string())))
}

/// How often a change is retried when another program has changed the same row.
pub(super) const ATTEMPTS: u32 = 5;

impl Workspace {
    /// Changes the settings of a study as they are at that moment. Other programs change them too.
    pub(super) async fn change_settings(
        &self,
        id: PanelId,
        change: impl Fn(&mut StudySettings) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let panel = self.store().panel(id).await?.ok_or(grove_store::Error::Unknown("panel"))?;
            let mut settings = settings_of(&panel)?;
            change(settings.study.as_mut().ok_or_else(no_study)?)?;
            match self.store().change_panel_settings(&panel, to_json(&settings)).await {
                Err(grove_store::Error::Changed) => {}
                changed => return Ok(changed?),
            }
        }
        Err(grove_store::Error::Changed.into())
    }

    /// Lets a study have no more places than it has.
    pub(super) async fn end_growth(&self, id: PanelId, places: u32) -> Result<(), Error> {
        let end = |study: &mut StudySettings| {
            study.most_places = places;
            Ok(())
        };
        self.change_settings(id, end).await
    }

    /// Does something to the study of a panel, unless it was done already.
    pub(super) async fn change_study(&self, panel: &Panel, action: StudyAction) -> Result<(), Error> {
        let (client, _) = service(self, panel)?;
        let id = study_of(panel)?.to_owned();
        let before = client.study(&id).await?;
        if !action.is_done(&before.status) {
            match client.change_study(&id, action).await {
                // The response may have been lost, or somebody else was faster: the service's present status decides.
                Err(error) if error.is_uncertain() || error.status() == Some(400) => {
                    let now = client.study(&id).await?;
                    if !action.is_done(&now.status) {
                        return Err(error.into());
                    }
                }
                other => other?,
            }
        }
        let now = client.study(&id).await?;
        self.remember(panel, &now).await
    }

    /// Stores what the service says about a study.
    pub(super) async fn remember(&self, panel: &Panel, study: &Study) -> Result<(), Error> {
        self.remember_read(panel, study, false).await
    }

    /// The same, with whether its submissions were read after it had ended.
    pub(super) async fn remember_read(
        &self,
        panel: &Panel,
        study: &Study,
        read_after_end: bool,
    ) -> Result<(), Error> {
        let (id, status) = (study.id.clone(), study.status.as_str().to_owned());
        let places = study.total_available_places;
        Ok(self.store().set_panel_status(panel, id, status, places, read_after_end, self.now()).await?)
    }
}

pub(super) fn wanted(settings: &PanelSettings) -> Result<&StudySettings, Error> {
    settings.study.as_ref().ok_or_else(no_study)
}

/// Refuses a price above the owner's budget or the operator's limit.
fn within_budget(cost: Cents, study: &StudySettings, connection: &PanelConnection) -> Result<(), Error> {
    let limit = study.budget.min(connection.most);
    if cost <= limit {
        return Ok(());
    }
    Err(CrowdError::OverBudget(format!(
        "the study would cost {cost} with fees, which is above its budget of {limit}; raise the budget, or ask fewer people"
    ))
    .into())
}

fn no_study() -> Error {
    Error::Panel("this panel has no study".to_owned())
}

/// Microseconds of whole seconds.
pub(super) fn moment(seconds: i64) -> Moment {
    Moment(seconds.saturating_mul(1_000_000))
}
