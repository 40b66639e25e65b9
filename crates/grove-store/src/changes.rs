//! Notifications of one server to the others: which campaigns have changed.
//!
//! The database's `NOTIFY` makes commits wait for each other, so it is not part of the transactions that write: a task
//! announces all recent changes together. Notifications can be lost, so listeners have to poll as well.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::sql::{Connection, Pool, values};
use crate::{CampaignId, Result, Store};

/// The channel of the database.
const CHANNEL: &str = "grove";
/// The shortest time between two notifications.
const PAUSE: Duration = Duration::from_millis(30);
/// The pause after a failure.
const RETRY: Duration = Duration::from_secs(1);
/// After this long without a notification the connection is replaced: it may have died silently.
const SILENCE: Duration = Duration::from_secs(30);

/// What was written here, and who waits for changes by other servers.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The id of this server, by which it recognises its own notifications.
    me: Uuid,
    /// Whether anybody else listens.
    has_others: AtomicBool,
    written: Mutex<HashSet<CampaignId>>,
    something: Notify,
    waiting: Mutex<HashMap<CampaignId, Arc<Notify>>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            me: Uuid::now_v7(),
            has_others: AtomicBool::new(false),
            written: Mutex::default(),
            something: Notify::new(),
            waiting: Mutex::default(),
        }
    }
}

impl Changes {
    /// Notes that a campaign was written to here.
    pub(crate) fn note(&self, campaign: CampaignId) {
        if self.has_others.load(Ordering::Relaxed) && self.written.lock().insert(campaign) {
            self.something.notify_one();
        }
    }

    pub(crate) fn set_others(&self, has_others: bool) {
        self.has_others.store(has_others, Ordering::Relaxed);
    }

    fn heard(&self, notice: &str) {
        let Some((who, campaigns)) = notice.split_once(' ') else { return };
        if who == self.me.to_string() {
            return;
        }
        let waiting = self.waiting.lock();
        for campaign in campaigns.split(' ').filter_map(|id| Uuid::parse_str(id).ok()) {
            if let Some(waiting) = waiting.get(&CampaignId(campaign)) {
                waiting.notify_one();
            }
        }
    }

    /// Wakes all: some notifications may have been lost.
    fn heard_all(&self) {
        self.waiting.lock().values().for_each(|waiting| waiting.notify_one());
    }
}

impl Store {
    /// Is notified when another server has written to a campaign. Callers must poll as well: notifications can be lost, and
    /// with SQLite there are none.
    #[must_use]
    pub fn changes(&self, campaign: CampaignId) -> Arc<Notify> {
        let mut waiting = self.0.changes.waiting.lock();
        // Those that nobody waits for any more.
        waiting.retain(|_, waiting| Arc::strong_count(waiting) > 1);
        waiting.entry(campaign).or_default().clone()
    }
}

/// Announces what was written here to the other servers, until the task is aborted.
pub(crate) async fn tell(changes: Arc<Changes>, pool: Pool) {
    loop {
        changes.something.notified().await;
        let campaigns = std::mem::take(&mut *changes.written.lock());
        // A change whose notification is lost is found by polling.
        let _ = notify(&pool, changes.me, campaigns).await;
        sleep(PAUSE).await;
    }
}

/// How many ids fit into one notification, which the database limits to 8,000 bytes.
const MOST: usize = 200;

async fn notify(pool: &Pool, me: Uuid, campaigns: HashSet<CampaignId>) -> Result<()> {
    let mut db: Connection = pool.connection().await?;
    let campaigns: Vec<String> = campaigns.into_iter().map(|CampaignId(id)| id.to_string()).collect();
    for some in campaigns.chunks(MOST) {
        let notice = format!("{me} {}", some.join(" "));
        db.exists("SELECT 1 FROM pg_notify($1, $2)", values![CHANNEL, notice]).await?;
    }
    Ok(())
}

/// Wakes those who wait for changes by other servers, until the task is aborted.
pub(crate) async fn listen(changes: Arc<Changes>, pool: PgPool) {
    loop {
        // However it ends, it starts again.
        let _ = hear(&changes, &pool).await;
        changes.heard_all();
        sleep(RETRY).await;
    }
}

async fn hear(changes: &Changes, pool: &PgPool) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    while let Ok(notice) = timeout(SILENCE, listener.recv()).await {
        changes.heard(notice?.payload());
    }
    Ok(())
}
