//! What is built, in which order, and where it goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::args::Args;
use crate::cargo::{Build, Mode};
use crate::config::{Config, Numbering};
use crate::{demo, sysroot};

pub fn build(args: &Args, config: &Config) -> Result<(), String> {
    ask_around(config);
    demo::before_build(config)?;

    let old = config.numbering == Numbering::Old;
    if args.stage == 0 && !old {
        return Err("cannot build anything on stage 0 with the new numbering".to_string());
    }
    // The compiler under the new numbering is built with the library that stage 0 came with.
    sysroot::make_stage0(config)?;
    for stage in 0..args.stage {
        if old || stage > 0 {
            build_library(args, config, stage)?;
        }
        build_compiler(args, config, stage)?;
    }
    match args.library {
        true => build_library(args, config, args.stage),
        false => Ok(()),
    }
}

/// The questions that rustc's bootstrap starts with: short processes, and some fail. Nothing is done
/// with the answers.
fn ask_around(config: &Config) {
    let rustc = config.stage_dir(0).join("bin/rustc");
    let metadata = [
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--manifest-path",
    ];
    let mut questions = vec![
        Command::new("git"),
        Command::new(&rustc),
        Command::new(&rustc),
    ];
    questions[0].args(["rev-parse", "--show-cdup"]);
    questions[1].args(["--version", "--verbose"]);
    questions[2].args(["--print", "target-list"]);
    for manifest in ["Cargo.toml", "library/Cargo.toml"] {
        let mut cargo = Command::new(config.stage0_cargo());
        cargo.args(metadata).arg(config.source.join(manifest));
        questions.push(cargo);
    }
    for mut question in questions {
        let quiet = question
            .current_dir(&config.source)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let _ = quiet.stdout(Stdio::null()).status();
    }
}

/// The library, compiled by `stage`. That of stage 2 would come out the same as stage 1's.
fn build_library(args: &Args, config: &Config, stage: u32) -> Result<(), String> {
    let by = stage.min(1);
    if by < stage {
        println!("Uplifting library (stage{by} -> stage{stage})");
    } else {
        println!("Building stage{stage} library artifacts ({})", config.host);
    }
    let step = Step::start(config, "Std", by);
    let built = Build {
        args,
        config,
        mode: Mode::Std,
        stage: by,
        target_dir: config.out().join(format!("stage{by}-std")),
        manifest: "library/sysroot/Cargo.toml",
        features: "backtrace panic-unwind",
        env: Vec::new(),
    }
    .run()?;
    step.done();
    sysroot::add_library(config, stage, &built)
}

/// The compiler of the stage after `stage`, compiled by `stage`.
fn build_compiler(args: &Args, config: &Config, stage: u32) -> Result<(), String> {
    let next = stage + 1;
    println!(
        "Building compiler artifacts (stage{stage} -> stage{next}, {})",
        config.host
    );
    let number = if config.numbering == Numbering::Old {
        stage
    } else {
        next
    };
    let target_dir = config.out().join(format!("stage{number}-rustc"));
    forget_if_older(
        &target_dir,
        &config.out().join(format!("stage{stage}-std")),
        config,
    )?;

    let fail = if demo::fails(config, next) { "1" } else { "" };
    let step = Step::start(config, "Rustc", stage);
    let built = Build {
        args,
        config,
        mode: Mode::Rustc,
        stage,
        target_dir,
        manifest: "compiler/rustc/Cargo.toml",
        features: if demo::is_small(config) {
            "max_level_info"
        } else {
            "llvm max_level_info"
        },
        env: vec![("DEMO_FAIL", fail.to_string())],
    }
    .run()?;
    step.done();
    println!("Creating a sysroot for stage{next} compiler");
    sysroot::assemble(config, next, &built)
}

/// cargo does not look at the library that a crate is compiled against: when that was built anew, all
/// that was compiled with it has to go.
fn forget_if_older(target_dir: &Path, library: &Path, config: &Config) -> Result<(), String> {
    let release = |dir: &Path| dir.join(&config.host).join("release");
    let built = |path: PathBuf| fs::metadata(path).and_then(|meta| meta.modified());
    let library = built(release(library).join("libsysroot.rlib"));
    match (library, built(target_dir.join(".rustc_info.json"))) {
        (Ok(library), Ok(compiler)) if compiler < library => fs::remove_dir_all(target_dir)
            .map_err(|err| format!("cannot remove '{}': {err}", target_dir.display())),
        // In order, or one of them is not there.
        _ => Ok(()),
    }
}

/// Says how long a step took, where build.print-step-timings asks for it.
struct Step {
    name: Option<String>,
    start: Instant,
}

impl Step {
    fn start(config: &Config, name: &str, stage: u32) -> Step {
        let wanted = config.is_on("build.print-step-timings", true);
        Step {
            name: wanted.then(|| format!("{name} {{ stage: {stage} }}")),
            start: Instant::now(),
        }
    }

    fn done(self) {
        if let Some(name) = self.name {
            println!(
                "[TIMING] {name} -- {:.3}",
                self.start.elapsed().as_secs_f64()
            );
        }
    }
}
