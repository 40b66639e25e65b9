//! A folder of its own for every test, and the program run in it.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// Gone with all that is in it when the test ends.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("grove-stored-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for a test");
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("a file that can be written");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).expect("a file that can be read")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("the program can be run in its folder")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// All files with what they hold, by name.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(&self.0)
            .expect("the program can be run in its folder")
            .map(|entry| entry.expect("the program can be run in its folder"))
            .filter(|entry| entry.file_type().expect("the program can be run in its folder").is_file())
            .map(|entry| {
                (
                    entry.file_name().into_string().expect("the program can be run in its folder"),
                    std::fs::read(entry.path()).expect("the program can be run in its folder"),
                )
            })
            .collect();
        files.sort();
        files
    }

    /// Runs the program: its exit code, what it printed, and what it complained of.
    pub(crate) fn run(&self, args: &[&str], input: &str) -> (i32, String, String) {
        self.run_in(args, input, &[])
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
        command.args(args).current_dir(&self.0).env_remove("GROVE_DATABASE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run_in(&self, args: &[&str], input: &str, variables: &[(&str, &str)]) -> (i32, String, String) {
        let mut child = self
            .command(args)
            .envs(variables.iter().copied())
            .spawn()
            .expect("the program can be run in its folder");
        // A program that needs no input may have ended already.
        let _ = child.stdin.take().expect("the program can be run in its folder").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("the program can be run in its folder");
        let text = |bytes| String::from_utf8(bytes).expect("the program can be run in its folder");
        (
            output.status.code().expect("the program can be run in its folder"),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// What a command printed that has to end well.
    pub(crate) fn good(&self, args: &[&str]) -> String {
        self.good_with_input(args, "")
    }

    pub(crate) fn good_with_input(&self, args: &[&str], input: &str) -> String {
        let (code, out, error) = self.run(args, input);
        assert_eq!(code, 0, "grove {}: {out}{error}", args.join(" "));
        out
    }

    /// Runs a command and answers it line by line, as far as there is an answer; all that it printed.
    pub(crate) fn talk(&self, args: &[&str], answer: impl Fn(&str) -> Option<&'static str>) -> String {
        let mut child = self.command(args).spawn().expect("the program can be run in its folder");
        let mut input = child.stdin.take().expect("the program can be run in its folder");
        let mut said = String::new();
        for line in BufReader::new(child.stdout.take().expect("the program can be run in its folder")).lines()
        {
            let line = line.expect("the program can be run in its folder");
            if let Some(answer) = answer(&line) {
                input.write_all(answer.as_bytes()).expect("the program can be run in its folder");
            }
            said.push_str(&line);
            said.push('\n');
        }
        assert!(child.wait().expect("the program can be run in its folder").success(), "{said}");
        said
    }

    pub(crate) fn with_variable(&self, name: &str, value: &str, args: &[&str]) -> String {
        let (code, out, error) = self.run_in(args, "", &[(name, value)]);
        assert_eq!(code, 0, "grove {}: {out}{error}", args.join(" "));
        out
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
