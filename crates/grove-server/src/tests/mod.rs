//! The whole server on a fresh database, through its router.

mod access;
mod campaign;
mod exposure;
mod guards;
mod logins;
mod moves;
mod owners;
mod snapshots;
mod texts;
mod work;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{Campaign, Clock, NewConcept, Settings, SystemClock};
use grove_store::{CampaignId, Credential, CredentialId, Moment, Owner, OwnerId, Purpose, SecretHash, Store};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;
use uuid::Uuid;

use crate::app::{App, AppState};
use crate::auth::{Secret, hash_password};
use crate::config::{Config, PublicAddress};
use crate::router;

/// The origin of our own pages.
const HOME: &str = "http://127.0.0.1:8077";
/// Where requests come from unless they say otherwise.
const NEAR: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "a long password";

/// A server with a database of its own, which is deleted with it.
pub(crate) struct Site {
    pub(crate) app: App,
    router: Router,
    file: std::path::PathBuf,
}

impl Drop for Site {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.file.display()));
        }
    }
}

/// A complete response.
struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl TestResponse {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The cookies that it sets, as a browser sends them back.
    fn cookie(&self) -> String {
        let cookies = self.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
        cookies.map(|cookie| cookie.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
    }
}

/// A request to send.
struct TestRequest {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
    /// The address of the connection.
    from: IpAddr,
}

fn get(path: impl Into<String>) -> TestRequest {
    TestRequest { method: "GET", path: path.into(), headers: Vec::new(), body: String::new(), from: NEAR }
}

/// A form as our own pages send it.
fn form(path: impl Into<String>, body: &str) -> TestRequest {
    let headers =
        vec![("content-type", "application/x-www-form-urlencoded".to_owned()), ("origin", HOME.to_owned())];
    TestRequest { method: "POST", path: path.into(), headers, body: body.to_owned(), from: NEAR }
}

/// A request of a program.
fn json(method: &'static str, path: impl Into<String>, body: &Value) -> TestRequest {
    let headers = vec![("content-type", "application/json".to_owned())];
    TestRequest { method, path: path.into(), headers, body: body.to_string(), from: NEAR }
}

impl TestRequest {
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn from(mut self, address: &str) -> Self {
        self.from = address.parse().unwrap();
        self
    }

    fn bearer(self, token: &str) -> Self {
        self.with("authorization", format!("Bearer {token}"))
    }

    fn cookie(self, cookie: &str) -> Self {
        self.with("cookie", cookie)
    }
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with(Config::default(), Arc::new(SystemClock)).await
    }

    async fn with(config: Config, clock: Arc<dyn Clock>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("grove-server-{}-{nth}.db", std::process::id()));
        let store = Store::open(file.to_str().unwrap()).await.unwrap();
        let public =
            PublicAddress::new(config.public_url.as_deref(), SocketAddr::from(([127, 0, 0, 1], 8077)))
                .unwrap();
        let workspace = Workspace::new(store, clock);
        let app = Arc::new(AppState::new(workspace, public, &config));
        Self { router: router(app.clone()), app, file }
    }

    async fn send(&self, request: TestRequest) -> TestResponse {
        let mut builder = Request::builder().method(request.method).uri(request.path);
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        let mut sent = builder.body(Body::from(request.body)).unwrap();
        sent.extensions_mut().insert(ConnectInfo(SocketAddr::new(request.from, 40_000)));
        let request = sent;
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        TestResponse { status: parts.status, headers: parts.headers, text }
    }

    fn store(&self) -> &Store {
        self.app.store()
    }

    fn now(&self) -> Moment {
        SystemClock.now()
    }

    /// An owner with a password.
    async fn owner(&self, name: &str) -> OwnerId {
        let id = OwnerId(Uuid::now_v7());
        let password_hash = hash_password(PASSWORD).unwrap();
        let owner = Owner { id, name: name.to_owned(), password_hash, created: self.now() };
        self.store().add_owner(owner).await.unwrap();
        id
    }

    /// A token of an owner, with its secret.
    async fn token(&self, owner: OwnerId) -> (CredentialId, String) {
        let (caller, secret) = (Caller::account(owner), Secret::new().unwrap());
        let workspace = &self.app.workspace;
        let id = workspace.create_token(&caller, "test".to_owned(), secret.hash()).await.unwrap();
        (id, secret.as_str().to_owned())
    }

    /// The cookie of a session that ends at some time.
    async fn session_until(&self, owner: OwnerId, until: Moment) -> String {
        let secret = Secret::new().unwrap();
        let credential = Credential {
            id: CredentialId(Uuid::now_v7()),
            purpose: Purpose::Session(owner),
            label: String::new(),
            created: Moment(0),
            until: Some(until),
            revoked: None,
        };
        let hash: SecretHash = secret.hash();
        self.store().add_credential(credential, hash).await.unwrap();
        format!("grove_session={}", secret.as_str())
    }

    async fn session(&self, owner: OwnerId) -> String {
        self.session_until(owner, Moment(i64::MAX)).await
    }

    /// A campaign on some food.
    async fn campaign(&self, owner: OwnerId, names: &[&str]) -> CampaignId {
        let concepts: Vec<NewConcept> = names.iter().map(|name| NewConcept::named(name)).collect();
        let title = format!("campaign {}", Uuid::now_v7());
        self.create(owner, &title, Settings::default(), &concepts).await
    }

    async fn create(
        &self,
        owner: OwnerId,
        name: &str,
        settings: Settings,
        concepts: &[NewConcept],
    ) -> CampaignId {
        let caller = Caller::account(owner);
        self.app.workspace.create_campaign(&caller, name, settings, concepts).await.unwrap()
    }

    /// The campaign that the server runs.
    async fn running(&self, campaign: CampaignId) -> Campaign {
        let access = self.app.workspace.campaign(Caller::local(), campaign).await.unwrap();
        access.campaign().unwrap().clone()
    }

    /// The secret of an invitation to a campaign.
    async fn invitation(&self, campaign: CampaignId) -> (CredentialId, String) {
        let secret = Secret::new().unwrap();
        let access = self.app.workspace.campaign(Caller::local(), campaign).await.unwrap();
        let id = access.invite(String::new(), secret.hash()).await.unwrap();
        (id, secret.as_str().to_owned())
    }
}

const FOOD: [&str; 5] = ["cheese", "brie", "fruit", "apple", "pear"];
