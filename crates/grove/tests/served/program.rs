//! The program itself, serving.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The program of this build.
pub(crate) const THIS: &str = env!("CARGO_BIN_EXE_grove");

/// A server in a process of its own; killed when dropped.
pub(crate) struct Program {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Program {
    /// Starts `grove serve` on a free port, and waits until it listens.
    pub(crate) fn start(database: &str) -> Self {
        Self::start_binary(Path::new(THIS), database)
    }

    /// The same with a program that may be of another version.
    pub(crate) fn start_binary(binary: &Path, database: &str) -> Self {
        let mut command = Command::new(binary);
        command.args(["serve", "--quiet", "--rate-limit", "100000000", "--database", database]);
        Self::listening(command).0
    }

    /// The same with all that it logs in a file. Also returns the path of the link by which the first owner creates an account.
    pub(crate) fn start_first(database: &str, log: File) -> (Self, String) {
        let mut command = Command::new(THIS);
        command.args(["serve", "--database", database]).stderr(log);
        let (program, mut lines) = Self::listening(command);
        let link =
            lines.find_map(|line| Some(line.trim().strip_prefix("http://")?.split_once('/')?.1.to_owned()));
        (program, format!("/{}", link.expect("there is no owner yet")))
    }

    /// The same with an owner who is there, and with variables of its environment.
    pub(crate) fn start_logged(database: &str, log: File, environment: &[(&str, String)]) -> Self {
        let mut command = Command::new(THIS);
        command.args(["serve", "--database", database]).stderr(log);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        Self::listening(command).0
    }

    fn listening(mut command: Command) -> (Self, impl Iterator<Item = String>) {
        command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program is there");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut lines = output.lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("Grove listens at http://")?.parse().ok());
        (Self { process, address: address.expect("it says where it listens") }, lines)
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal, such as `STOP`.
    pub(crate) fn signal(&self, signal: &str) {
        let told = Command::new("kill").args(["-s", signal, &self.id().to_string()]).status();
        assert!(told.expect("kill can be run").success());
    }

    /// Ends it as an operator would, and waits.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        assert!(self.process.wait().expect("it ends").success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SIGKILL, in the middle of whatever it does. It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
