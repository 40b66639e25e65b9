//! A PostgreSQL with a synchronous standby, on ports of this machine, both of which can be killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::postgres;

/// Starts both, and obeys until its input ends; then it removes everything.
const KEEPER: &str = r#"
set -u
export PATH="$1:$PATH" LC_ALL=C.UTF-8
primary=$2 standby=$3
folder=$(mktemp -d "${TMPDIR:-/tmp}/grove-standby-XXXXXX")
cd "$folder"
stop() { pg_ctl -D "$folder/$1" stop -m immediate -s >/dev/null 2>&1 || true; }
trap 'stop standby; stop primary; rm -rf "$folder"' EXIT
start() {
    pg_ctl -D "$folder/$1" -l "$folder/$1.log" -o "-k $folder -c listen_addresses=127.0.0.1 -p $2 -c wal_receiver_status_interval=1" \
        start -w -t 30 >>start.log 2>&1 || { cat start.log "$1.log"; exit 1; }
}
initdb -D primary -U grove -A trust -E UTF8 --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
start primary "$primary"
pg_basebackup -h 127.0.0.1 -p "$primary" -U grove -D standby -R -X stream -c fast >backup.log 2>&1 || { cat backup.log; exit 1; }
start standby "$standby"
psql -q -h 127.0.0.1 -p "$primary" -U grove -d postgres \
    -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c "SELECT pg_reload_conf()" >sql.log 2>&1
echo ready
while read -r command; do
    case $command in
        kill-primary) kill -9 "$(head -n 1 primary/postmaster.pid)" ;;
        stop-standby) stop standby ;;
        start-standby) start standby "$standby" ;;
        # Nobody waits for a standby of its own.
        promote) pg_ctl -D standby promote -w >/dev/null 2>&1
                 psql -q -h 127.0.0.1 -p "$standby" -U grove -d postgres \
                    -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()" >sql.log 2>&1 ;;
    esac
    echo done
done
"#;

/// A primary and its standby.
pub(crate) struct Databases {
    keeper: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
    pub(crate) primary: SocketAddr,
    pub(crate) standby: SocketAddr,
}

impl Databases {
    pub(crate) fn start() -> Self {
        let ports = [free_port(), free_port()];
        let mut command = postgres::as_its_user();
        let mut keeper = command
            .args(["-c", KEEPER, "sh"])
            .arg(postgres::programs().expect("PostgreSQL is installed"))
            .args(ports.map(|port| port.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh can be run");
        let commands = keeper.stdin.take().expect("it is piped");
        let replies = BufReader::new(keeper.stdout.take().expect("it is piped"));
        let [primary, standby] = ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let mut databases = Self { keeper, commands, replies, primary, standby };
        databases.wait_for("ready");
        databases
    }

    /// `kill-primary`, `stop-standby`, `start-standby` or `promote`.
    pub(crate) fn tell(&mut self, command: &str) {
        writeln!(self.commands, "{command}").expect("the keeper listens");
        self.wait_for("done");
    }

    fn wait_for(&mut self, word: &str) {
        let mut line = String::new();
        self.replies.read_line(&mut line).expect("the keeper answers");
        assert_eq!(line.trim(), word, "PostgreSQL did not obey");
    }

    /// The URL of the database behind an address.
    pub(crate) fn url(address: SocketAddr) -> String {
        format!("postgres://grove@{address}/postgres")
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        // The keeper cleans up when its input ends, and is not waited for.
        let _ = writeln!(self.commands, "stop-standby");
        let _ = self.keeper.try_wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}
