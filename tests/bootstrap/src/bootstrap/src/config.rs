//! What x.py found out and hands over in the environment.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

pub struct Config {
    /// Where the workspaces are: next to x.py, or next to a copy of it if that directory is read-only.
    pub source: PathBuf,
    pub build: PathBuf,
    pub host: String,
    /// The installed toolchain that every stage's compiler comes from.
    pub toolchain: PathBuf,
    pub cargo_config: PathBuf,
    pub numbering: Numbering,
    settings: BTreeMap<String, String>,
}

/// Which stage the name of a `stageN-rustc` directory says: rust PR 145295 changed it.
#[derive(Clone, Copy, PartialEq)]
pub enum Numbering {
    /// The stage that compiles.
    Old,
    /// The stage that is compiled.
    New,
}

impl Config {
    pub fn from_env() -> Result<Config, String> {
        let settings: BTreeMap<String, String> = required("BOOTSTRAP_SETTINGS")?
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        let numbering = match settings
            .get("build.numbering")
            .map_or("old", String::as_str)
        {
            "old" => Numbering::Old,
            "new" => Numbering::New,
            other => return Err(format!("build.numbering is 'old' or 'new', not '{other}'")),
        };
        Ok(Config {
            source: required("BOOTSTRAP_SOURCE")?.into(),
            build: required("BUILD_DIR")?.into(),
            host: required("BOOTSTRAP_HOST")?,
            toolchain: required("BOOTSTRAP_TOOLCHAIN")?.into(),
            cargo_config: required("BOOTSTRAP_CARGO_CONFIG")?.into(),
            numbering,
            settings,
        })
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str)
    }

    pub fn is_on(&self, key: &str, default: bool) -> bool {
        self.get(key).map_or(default, |value| {
            matches!(value, "true" | "yes" | "on" | "1")
        })
    }

    /// build/<host>
    pub fn out(&self) -> PathBuf {
        self.build.join(&self.host)
    }

    pub fn shim(&self) -> PathBuf {
        self.build.join("bootstrap/debug/rustc")
    }

    pub fn stage0_cargo(&self) -> PathBuf {
        self.out().join("stage0/bin/cargo")
    }

    /// Where the compiler of `stage` lies, and with it its libraries: stage1/bin/rustc, stage1/lib.
    pub fn stage_dir(&self, stage: u32) -> PathBuf {
        self.out().join(format!("stage{stage}"))
    }

    /// What the compiler of `stage` links programs with. Stage 0 has one apart, as the library it came
    /// with is not the one it has just built.
    pub fn sysroot(&self, stage: u32) -> PathBuf {
        match stage {
            0 => self.out().join("stage0-sysroot"),
            _ => self.stage_dir(stage),
        }
    }
}

fn required(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: start this through x.py"))
}
