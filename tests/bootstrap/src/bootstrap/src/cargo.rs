//! One cargo call of a stage: its environment, its arguments, and what it made.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::args::Args;
use crate::config::Config;

/// The two trees that are built in stages.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Std,
    Rustc,
}

pub struct Build<'a> {
    pub args: &'a Args,
    pub config: &'a Config,
    pub mode: Mode,
    /// Stage of the compiler that compiles.
    pub stage: u32,
    pub target_dir: PathBuf,
    /// Relative to the source.
    pub manifest: &'static str,
    pub features: &'static str,
    pub env: Vec<(&'static str, String)>,
}

impl Build<'_> {
    /// Files that the build made or found fresh, of the target's crates.
    pub fn run(&self) -> Result<Vec<PathBuf>, String> {
        let mut command = Command::new(self.config.stage0_cargo());
        self.add_args(&mut command);
        self.add_env(&mut command);
        command
            .current_dir(&self.config.source)
            .stdout(Stdio::piped());

        let mut child = command
            .spawn()
            .map_err(|err| format!("cannot run {:?}: {err}", command.get_program()))?;
        let mut files = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.map_err(|err| format!("cannot read cargo's output: {err}"))?;
            files.extend(filenames(&line).filter(|file| self.is_for_target(file)));
        }
        let status = child
            .wait()
            .map_err(|err| format!("cannot wait for cargo: {err}"))?;
        match status.success() {
            true => Ok(files),
            false => Err(format!("Command failed: {command:?}\n{status}")),
        }
    }

    fn add_args(&self, command: &mut Command) {
        command.args(["build", "--target", &self.config.host, "--release"]);
        if let Some(jobs) = &self.args.jobs {
            command.args(["-j", jobs]);
        }
        if self.args.verbose {
            command.arg("-v");
        }
        command.args(["--features", self.features]);
        command
            .arg("--manifest-path")
            .arg(self.config.source.join(self.manifest));
        command.args(["--message-format", "json-render-diagnostics"]);
        // The only way to choose the source of crates that no file in a parent directory can undo.
        command.arg("--config").arg(&self.config.cargo_config);
    }

    fn add_env(&self, command: &mut Command) {
        let config = self.config;
        let rustc = |stage| config.stage_dir(stage).join("bin/rustc");
        let lib = |stage| config.stage_dir(stage).join("lib");
        // Build scripts of the library run before there is a library of this stage to link them with.
        let snapshot = if self.mode == Mode::Std {
            0
        } else {
            self.stage
        };

        command.env("CARGO_TARGET_DIR", &self.target_dir);
        command
            .env("RUSTC", config.shim())
            .env("RUSTC_WRAPPER", config.shim());
        command.env("RUSTC_STAGE", self.stage.to_string());
        command
            .env("RUSTC_REAL", rustc(self.stage))
            .env("RUSTC_LIBDIR", lib(self.stage));
        command
            .env("RUSTC_SNAPSHOT", rustc(snapshot))
            .env("RUSTC_SNAPSHOT_LIBDIR", lib(snapshot));
        command.env("RUSTC_SYSROOT", config.sysroot(self.stage));
        command.env("RUSTFLAGS", self.rustflags());
        // A crate that both trees use has to differ, as programs link with both.
        let channel = if self.stage == 0 { "bootstrap" } else { "dev" };
        let tree = if self.mode == Mode::Std {
            "std"
        } else {
            "rustc"
        };
        command.env("__CARGO_DEFAULT_LIB_METADATA", format!("{channel}{tree}"));
        // As rustc's: only the compiler that one edits and builds again and again is incremental.
        let incremental = self.args.incremental && self.stage == 0;
        command.env("CARGO_INCREMENTAL", if incremental { "1" } else { "0" });
        command.env(
            "CARGO_PROFILE_RELEASE_DEBUG",
            config.get("rust.debuginfo-level").unwrap_or("0"),
        );
        let units = config.get("rust.codegen-units").unwrap_or("16");
        command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", units);
        if config.is_on("build.print-step-timings", true) {
            command.env("RUSTC_PRINT_STEP_TIMINGS", "1");
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
    }

    fn rustflags(&self) -> String {
        let mut flags = vec!["-Csymbol-mangling-version=v0", "-Clink-args=-Wl,-z,origin"];
        flags.push("-Clink-args=-Wl,-rpath,$ORIGIN/../lib");
        if self.stage == 0 {
            flags.insert(0, "--cfg=bootstrap");
        }
        if self.config.is_on("rust.frame-pointers", false) {
            flags.push("-Cforce-frame-pointers=yes");
        }
        flags.join(" ")
    }

    /// Host artefacts lie in <target-dir>/release, those of the target one directory deeper.
    fn is_for_target(&self, file: &Path) -> bool {
        file.starts_with(self.target_dir.join(&self.config.host))
    }
}

/// Paths in the `filenames` list of one line of cargo's JSON; no path here has anything to unescape.
fn filenames(line: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let list = line
        .split_once("\"filenames\":[")
        .map_or("", |(_, rest)| rest);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    list.split(',')
        .map(|name| name.trim_matches('"'))
        .filter(|name| !name.is_empty())
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::filenames;

    #[test]
    fn filenames_of_a_message() {
        let line =
            r#"{"reason":"compiler-artifact","filenames":["/b/liba.rlib","/b/liba.rmeta"],"x":1}"#;
        let found: Vec<_> = filenames(line).collect();
        assert_eq!(
            found,
            ["/b/liba.rlib", "/b/liba.rmeta"].map(std::path::PathBuf::from)
        );
        assert_eq!(filenames(r#"{"reason":"build-finished"}"#).count(), 0);
    }
}
