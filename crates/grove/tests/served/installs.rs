//! Two fresh installs side by side: nothing that opens one of them opens the other, and no secret is stored or logged as it is.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use grove_store::Store;
use serde_json::json;
use uuid::Uuid;

use crate::client::{Client, Who};
use crate::program::{Program, THIS};
use crate::world::World;

const PASSWORD: &str = "a long password";

struct Install {
    program: Program,
    database: String,
    log: PathBuf,
    /// By what they open. The ways in that a person types or a program sends.
    secrets: Vec<(&'static str, String)>,
    world: World,
}

impl Install {
    /// As an operator sets it up: starts the server, adds an owner, and does what an owner does first.
    async fn new(folder: &Path) -> Self {
        std::fs::create_dir(folder).expect("a new folder");
        let (database, log) = (folder.join("grove.db").display().to_string(), folder.join("log"));
        let (program, setup) =
            Program::start_first(&database, File::create(&log).expect("the folder is ours"));
        let mut client = Client::connect(program.address, Vec::new()).await.expect("it listens");
        for (name, password) in
            [("admin", "admin"), ("grove", "grove"), ("admin", "password"), ("root", "root")]
        {
            let cookies = client.log_in(name, password).await.expect("it answers");
            assert!(cookies.is_none(), "{name} may log in on a fresh install");
        }
        user(&database, &["add", "ann"], PASSWORD);
        let world = World::over_api(program.address, ("ann", PASSWORD), 5).await.expect("ann may log in");
        let cookies = client.log_in("ann", PASSWORD).await.expect("it answers").expect("ann may log in");
        let mut secrets: Vec<(&str, String)> = Vec::new();
        for cookie in cookies.split("; ") {
            let (name, value) = cookie.split_once('=').expect("a cookie");
            secrets.push((if name.contains("session") { "session" } else { "device" }, value.to_owned()));
        }
        let setup = setup.rsplit('/').next().expect("a path").to_owned();
        client.is_now(vec![("cookie", cookies), ("origin", format!("http://{}", program.address))]);
        let (status, made) =
            client.post("/api/v1/tokens", Some(&json!({ "label": "" }))).await.expect("it answers");
        assert_eq!(status, 201, "{made}");
        secrets.push(("token", made["token"].as_str().expect("a token").to_owned()));
        secrets.push(("invitation", world.invitation.clone()));
        secrets.push(("setup", setup));
        Self { program, database, log, secrets, world }
    }

    fn secret(&self, what: &str) -> &str {
        &self.secrets.iter().find(|(name, _)| *name == what).expect("it is there").1
    }

    /// What a server answers to whoever shows these secrets to it.
    async fn answers(&self, to: &Self) -> Vec<(&'static str, u16)> {
        let bearer = |secret: &str| ("authorization", format!("Bearer {secret}"));
        let worker = ("grove-worker", Uuid::new_v4().to_string());
        let ways: [(&str, &str, Who); 3] = [
            ("session", "/api/v1/me", vec![("cookie", format!("grove_session={}", self.secret("session")))]),
            ("token", "/api/v1/me", vec![bearer(self.secret("token"))]),
            ("invitation", "/api/v1/work/next", vec![bearer(self.secret("invitation")), worker]),
        ];
        let mut answers = Vec::new();
        for (name, path, who) in ways {
            let mut client = Client::connect(to.program.address, who).await.expect("it listens");
            let answer =
                if path.ends_with("next") { client.post(path, None).await } else { client.get(path).await };
            answers.push((name, answer.expect("it answers").0));
        }
        answers
    }
}

/// Runs `grove user`, with a password on its standard input.
fn user(database: &str, arguments: &[&str], password: &str) {
    let mut command = Command::new(THIS);
    command.arg("user").args(arguments).args(["--quiet", "--database", database]);
    let mut process = command.stdin(Stdio::piped()).spawn().expect("the program is there");
    process.stdin.take().expect("it is piped").write_all(password.as_bytes()).expect("it reads");
    assert!(process.wait().expect("it ends").success());
}

/// Whether a file or one beside it that begins with its name holds a text.
fn holds(path: &str, text: &str) -> bool {
    ["", "-wal", "-shm"].iter().any(|rest| {
        let bytes = std::fs::read(format!("{path}{rest}")).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn two_fresh_installs_share_no_secret() {
    let folder = std::env::temp_dir().join(format!("grove-installs-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).expect("a new folder");
    let one = Install::new(&folder.join("one")).await;
    let other = Install::new(&folder.join("other")).await;

    let mut all: Vec<&str> = [&one, &other]
        .iter()
        .flat_map(|install| &install.secrets)
        .map(|(_, secret)| secret.as_str())
        .collect();
    assert!(all.len() >= 10 && all.iter().all(|secret| secret.len() >= 40), "{all:?}");
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), one.secrets.len() + other.secrets.len(), "a secret is there twice");

    // What opens one does not open the other; the control is that it opens its own.
    for (own, foreign) in [(&one, &other), (&other, &one)] {
        assert_eq!(own.answers(own).await, [("session", 200), ("token", 200), ("invitation", 200)]);
        assert_eq!(own.answers(foreign).await, [("session", 401), ("token", 401), ("invitation", 401)]);
    }

    // A new password ends the sessions that began with the old one, on the server that runs.
    user(&one.database, &["password", "ann"], "another long password");
    let mut client = Client::connect(one.program.address, one.world.owner()).await.expect("it listens");
    assert_eq!(client.get("/api/v1/me").await.expect("it answers").0, 401);
    assert_eq!(client.log_in("ann", PASSWORD).await.expect("it answers"), None);
    assert!(client.log_in("ann", "another long password").await.expect("it answers").is_some());

    let mut keys = Vec::new();
    for install in [one, other] {
        let Install { program, database, log, mut secrets, .. } = install;
        program.stop();
        // What tickets are signed with; the second key is what would be stored if there were none.
        let store = Store::open(&database).await.expect("the database is whole");
        let key = store.key("tickets", [0; 32]).await.expect("it can be read");
        assert_ne!(key, [0; 32], "the server has made no key");
        keys.push(key);
        store.close().await;
        secrets.push(("password", PASSWORD.to_owned()));
        let log = log.display().to_string();
        // The controls: what has to be there is found.
        assert!(holds(&database, "concept 3") && holds(&log, "logged in"));
        for (name, secret) in secrets {
            assert!(!holds(&database, &secret), "the {name} is in the database");
            assert!(!holds(&log, &secret), "the {name} is in the log");
        }
    }
    assert_ne!(keys[0], keys[1], "both sign tickets with the same key");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
