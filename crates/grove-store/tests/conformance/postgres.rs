//! A PostgreSQL server for tests: started from the system's package in a temporary folder, on a socket, with the usual flushing, and
//! stopped when this process ends, however it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use uuid::Uuid;

/// Starts a server, prints its folder, and stops it when its input ends: the pipe closes with the process that holds it.
const SERVER: &str = r#"
set -eu
export PATH="$1:$PATH" LC_ALL=C.UTF-8
folder=$(mktemp -d "${TMPDIR:-/tmp}/grove-postgres-XXXXXX")
trap 'pg_ctl -D "$folder/data" stop -m immediate -s >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
initdb -D "$folder/data" -U grove -A trust -E UTF8 --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
pg_ctl -D "$folder/data" -l "$folder/log" -o "-k $folder -c listen_addresses= $2" start -w >start.log 2>&1 \
    || { cat start.log log; exit 1; }
echo "$folder"
read -r _ || true
"#;

/// A running server.
pub(crate) struct Server {
    folder: String,
    /// Holds the pipe that keeps the server alive.
    _keeper: Child,
}

impl Server {
    /// Starts a server with further options, such as `-c fsync=off`.
    pub(crate) fn start(options: &str) -> Self {
        let programs = programs().expect("these tests need PostgreSQL: run `make services`");
        let mut keeper = as_its_user()
            .args(["-c", SERVER, "sh"])
            .arg(programs)
            .arg(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Otherwise a reader of the test's output would wait for the server to end.
            .stderr(Stdio::null())
            .spawn()
            .expect("sh (and runuser, for root) can be run");
        let mut output = BufReader::new(keeper.stdout.take().expect("it is piped"));
        let mut folder = String::new();
        output.read_line(&mut folder).expect("the server says where it is");
        if !folder.starts_with('/') {
            output.read_to_string(&mut folder).expect("the server says what is wrong");
            panic!("PostgreSQL did not start: {folder}");
        }
        Self { folder: folder.trim().to_owned(), _keeper: keeper }
    }

    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://grove@localhost/{database}?host={}", self.folder)
    }

    pub(crate) async fn new_database(&self) -> String {
        let name = format!("test_{}", Uuid::now_v7().simple());
        let mut db = PgConnection::connect(&self.url("postgres")).await.expect("the server runs");
        // Safe: the name is hexadecimal digits.
        let sql = sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")));
        db.execute(sql).await.expect("the name is new");
        self.url(&name)
    }
}

/// Creates a database on a server that all tests of this process share, and returns its URL.
pub(crate) async fn new_database() -> String {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(|| Server::start("")).new_database().await
}

/// Whether a test has to be skipped for want of PostgreSQL, and says so: `make check` runs without one. Where
/// `GROVE_TEST_POSTGRES` is `required`, as `make test` sets it, nothing is skipped; a missing PostgreSQL then fails the test.
pub(crate) fn is_missing() -> bool {
    let is_missing =
        programs().is_none() && std::env::var("GROVE_TEST_POSTGRES").as_deref() != Ok("required");
    if is_missing {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        // Not eprintln!, which the test harness would keep to itself.
        let _ = writeln!(std::io::stderr(), "skipped: {test} needs PostgreSQL, and pg_ctl was not found");
    }
    is_missing
}

/// A shell that may run PostgreSQL, which refuses to run as root.
pub(crate) fn as_its_user() -> Command {
    if !is_root() {
        return Command::new("sh");
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", "sh"]);
    command
}

/// The folder of initdb and pg_ctl: Debian has one for each version.
pub(crate) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin"))
        .filter(|bin| bin.join("pg_ctl").exists())
        .collect();
    folders.sort();
    folders.pop().or_else(on_path)
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find(|folder| folder.join("pg_ctl").exists())
}

/// Whether this process runs as root, which then owns its folder in /proc.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(Path::new("/proc/self")).is_ok_and(|own| own.uid() == 0)
}
