//! The directories that a compiler of a stage lives in and links from.
//!
//! No rustc is compiled here that could compile the next: each stage's bin/rustc is the installed one,
//! copied, so that the file that runs is build/<host>/stageN/bin/rustc as in a real bootstrap.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::config::Config;

/// Make build/<host>/stageN anew, with a compiler in it and the files (of the compiler workspace)
/// that the stage before has built.
pub fn assemble(config: &Config, stage: u32, built: &[PathBuf]) -> Result<(), String> {
    let dir = config.stage_dir(stage);
    make_empty(&dir)?;
    place_rustc(config, &dir)?;
    let (bin, lib) = (dir.join("bin"), dir.join("lib"));
    // Our rustc-main and its driver are linked with shared libraries of the stage that built them.
    link_matching(
        &libraries(config, stage - 1),
        &["libstd-", "libruntime-"],
        &lib,
    )?;
    for file in built {
        match file.extension().and_then(|extension| extension.to_str()) {
            None => copy_into(file, &bin)?,
            // Also copied into deps/ under the name that the linker wrote into rustc-main.
            Some("so") => copy_into(&deps_file(file).unwrap_or_else(|| file.clone()), &lib)?,
            Some(_) => {}
        }
    }
    place_libraries(config, &dir)
}

/// Make build/<host>/stage0-sysroot anew.
pub fn make_stage0(config: &Config) -> Result<(), String> {
    let dir = config.sysroot(0);
    make_empty(&dir)?;
    place_libraries(config, &dir)
}

/// Add what a build of the library made to the sysroot of `stage`.
pub fn add_library(config: &Config, stage: u32, built: &[PathBuf]) -> Result<(), String> {
    let lib = libraries(config, stage);
    for file in built {
        match deps_file(file) {
            Some(file) => copy_into(&file, &lib)?,
            // A dependency: cargo names the one in deps/ itself.
            None => copy_into(file, &lib)?,
        }
    }
    Ok(())
}

/// cargo names the crate asked for by its plain name (release/libx.rlib); the same file with the hash
/// is in release/deps, and only that name keeps two crates called the same apart.
fn deps_file(file: &Path) -> Option<PathBuf> {
    let (dir, name) = (file.parent()?, file.file_name()?.to_str()?);
    let (stem, extension) = name.rsplit_once('.')?;
    if dir.file_name()? == "deps" {
        return None;
    }
    let found = fs::read_dir(dir.join("deps"))
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found
        .filter(|path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            name.starts_with(&format!("{stem}-")) && name.ends_with(&format!(".{extension}"))
        })
        .collect();
    // Those of earlier settings stay in deps/: the newest is this build's.
    found.sort_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok());
    found.pop()
}

/// Where a compiler of `stage` looks for libraries.
fn libraries(config: &Config, stage: u32) -> PathBuf {
    config
        .sysroot(stage)
        .join("lib/rustlib")
        .join(&config.host)
        .join("lib")
}

fn place_rustc(config: &Config, dir: &Path) -> Result<(), String> {
    let (bin, lib) = (dir.join("bin"), dir.join("lib"));
    create_dir(&bin)?;
    create_dir(&lib)?;
    copy_into(&config.stage_dir(0).join("bin/rustc"), &bin)?;
    // A distribution's compiler has its driver where the loader looks anyway.
    link_matching(
        &config.toolchain.join("lib"),
        &["librustc_driver-", "libLLVM"],
        &lib,
    )
}

fn link_matching(from: &Path, starts: &[&str], to: &Path) -> Result<(), String> {
    for file in list(from)? {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        if name.contains(".so") && starts.iter().any(|start| name.starts_with(start)) {
            link_into(&file, to)?;
        }
    }
    Ok(())
}

/// lib/rustlib/<host>: links to the installed library's files, in a directory that takes ours too.
fn place_libraries(config: &Config, dir: &Path) -> Result<(), String> {
    let from = config.toolchain.join("lib/rustlib").join(&config.host);
    let to = dir.join("lib/rustlib").join(&config.host);
    create_dir(&to.join("lib"))?;
    for file in list(&from.join("lib"))? {
        link_into(&file, &to.join("lib"))?;
    }
    match from.join("bin").exists() {
        true => link_into(&from.join("bin"), &to),
        false => Ok(()),
    }
}

fn make_empty(dir: &Path) -> Result<(), String> {
    match fs::remove_dir_all(dir) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(failed("remove", dir, err)),
        _ => create_dir(dir),
    }
}

fn create_dir(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|err| failed("create", dir, err))
}

fn list(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|err| failed("read", dir, err))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

fn copy_into(file: &Path, dir: &Path) -> Result<(), String> {
    let to = dir.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to)
        .map(drop)
        .map_err(|err| failed("copy", file, err))
}

fn link_into(file: &Path, dir: &Path) -> Result<(), String> {
    let to = dir.join(file.file_name().unwrap_or_default());
    symlink(file, &to).map_err(|err| failed("link to", file, err))
}

fn failed(what: &str, path: &Path, err: io::Error) -> String {
    format!("cannot {what} '{}': {err}", path.display())
}
