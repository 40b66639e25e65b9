//! A folder of its own for every test, and the program run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with files in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A fresh folder of this name, which no other test uses, with these files in it.
    pub(crate) fn with(name: &str, files: &[(&str, &[u8])]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if path.exists() {
            fs::remove_dir_all(&path).expect("an old folder can be removed");
        }
        fs::create_dir_all(&path).expect("a folder can be made");
        let folder = Self(path);
        files.iter().for_each(|(file, bytes)| folder.write(file, bytes));
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, file: &str, bytes: &[u8]) {
        fs::write(self.0.join(file), bytes).expect("a file can be written");
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).expect("the file is there")
    }

    /// All files with their bytes.
    pub(crate) fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(&self.0).expect("the folder is there").filter_map(Result::ok);
        let files = entries.filter(|entry| entry.path().is_file());
        let read = |entry: fs::DirEntry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                fs::read(entry.path()).expect("the file is there"),
            )
        };
        files.map(read).collect()
    }

    /// Runs the program here with arguments separated by single spaces; `~` stands for a space within one.
    pub(crate) fn run(&self, line: &str) -> Output {
        let args = line.split(' ').filter(|arg| !arg.is_empty()).map(|arg| arg.replace('~', " "));
        let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
        command.args(args).current_dir(&self.0).env_remove("NO_COLOR").output().expect("the program starts")
    }

    /// Runs the program, which must end well, and gives what it prints.
    pub(crate) fn grove(&self, line: &str) -> String {
        let output = self.run(line);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "grove {line}: {complaint}");
        assert_eq!(complaint, "", "grove {line}");
        String::from_utf8(output.stdout).expect("the program prints text")
    }
}
