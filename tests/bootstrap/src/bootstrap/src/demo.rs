//! The `demo.*` settings: a build that misbehaves on request, for tests of whatever watches it.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::config::Config;

/// How long a daemon stays when nobody ends it.
const DAEMON_SECONDS: &str = "60";

/// demo.daemon, demo.sleep: done once, before anything is built.
pub fn before_build(config: &Config) -> Result<(), String> {
    match config.get("demo.daemon").unwrap_or("no") {
        "no" => {}
        "yes" => leave_daemon(Stdio::null(), Stdio::null())?,
        // Keeps the build's output open long after the build: who reads to its end waits.
        "loud" => leave_daemon(Stdio::inherit(), Stdio::inherit())?,
        other => {
            return Err(format!(
                "demo.daemon is 'yes', 'loud' or 'no', not '{other}'"
            ))
        }
    }
    if let Some(seconds) = config.get("demo.sleep") {
        let seconds = seconds
            .parse()
            .map_err(|_| format!("demo.sleep: '{seconds}' is no number"))?;
        println!("Sleeping for {seconds} seconds (demo.sleep)");
        thread::sleep(Duration::from_secs(seconds));
    }
    Ok(())
}

fn leave_daemon(stdout: Stdio, stderr: Stdio) -> Result<(), String> {
    let daemon = Command::new("setsid")
        .args(["sleep", DAEMON_SECONDS])
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .map_err(|err| format!("cannot start 'setsid': {err}"))?;
    println!("Left a daemon behind, pid {} (demo.daemon)", daemon.id());
    Ok(())
}

/// demo.fail=stageN: whether building the compiler of that stage shall fail.
pub fn fails(config: &Config, stage: u32) -> bool {
    config.get("demo.fail") == Some(format!("stage{stage}").as_str())
}

/// demo.size=small leaves out the crates that take long.
pub fn is_small(config: &Config) -> bool {
    config.get("demo.size") == Some("small")
}
