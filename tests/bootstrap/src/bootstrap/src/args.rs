//! The part of rustc's command line that `build` needs. x.py has read `--set`, `--config` and
//! `--build-dir` already: their values arrive in the environment, here they are only stepped over.

pub struct Args {
    pub stage: u32,
    pub incremental: bool,
    pub verbose: bool,
    pub jobs: Option<String>,
    pub library: bool,
}

impl Args {
    pub fn parse(argv: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut args = Args {
            stage: 1,
            incremental: false,
            verbose: false,
            jobs: None,
            library: false,
        };
        let mut words = Vec::new();
        // What follows a bare `--` is for the tests that `x.py test` would run.
        let mut argv = argv.take_while(|arg| arg != "--");
        while let Some(arg) = argv.next() {
            let (name, mut value) = split(&arg);
            let mut needed = |what: &str| {
                value
                    .take()
                    .or_else(|| argv.next())
                    .ok_or(format!("{what} needs a value"))
            };
            match name {
                "--stage" => {
                    let stage = needed(name)?;
                    args.stage = stage
                        .parse()
                        .ok()
                        .filter(|stage| *stage <= 2)
                        .ok_or(format!("--stage takes 0, 1 or 2, not '{stage}'"))?;
                }
                "-j" | "--jobs" => args.jobs = Some(needed(name)?),
                "--set" | "--config" | "--build-dir" => drop(needed(name)?),
                "-i" | "--incremental" => args.incremental = true,
                "-v" | "-vv" | "--verbose" => args.verbose = true,
                _ if name.starts_with('-') => return Err(format!("unknown option '{arg}'")),
                _ => words.push(arg),
            }
        }
        args.check(&words)
    }

    fn check(mut self, words: &[String]) -> Result<Args, String> {
        let (command, paths) = words.split_first().ok_or("no command given: try 'build'")?;
        if command != "build" && command != "b" {
            return Err(format!(
                "unknown command '{command}': this x.py only knows 'build'"
            ));
        }
        self.library = paths.is_empty();
        for path in paths {
            match path.trim_end_matches('/') {
                "library" | "library/sysroot" | "std" | "sysroot" => self.library = true,
                "compiler" | "compiler/rustc" | "rustc" => {}
                _ => return Err(format!("no build rules matched '{path}'")),
            }
        }
        Ok(self)
    }
}

/// `--stage=1` and `-j4` hold their value themselves.
fn split(arg: &str) -> (&str, Option<String>) {
    if arg.starts_with("--") {
        return match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (arg, None),
        };
    }
    if arg.starts_with("-j") && arg.len() > 2 {
        return ("-j", Some(arg[2..].to_string()));
    }
    (arg, None)
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn parse(line: &str) -> Result<Args, String> {
        Args::parse(line.split_whitespace().map(str::to_string))
    }

    #[test]
    fn every_form_of_an_option() {
        for line in [
            "build --stage 2 -i -j 4 library --set rust.debuginfo-level=1",
            "build --stage=2 --incremental -j4 --set=a.b=c -v library -- --stage 0",
            "--config x.toml b library/ --jobs=4 --stage 2 -i",
        ] {
            let args = parse(line).unwrap();
            assert!(
                args.stage == 2 && args.incremental && args.library,
                "{line}"
            );
            assert_eq!(args.jobs.as_deref(), Some("4"), "{line}");
        }
    }

    #[test]
    fn mistakes() {
        for line in [
            "",
            "test",
            "build --stage",
            "build --stage 3",
            "build --wat",
            "build src/tools",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(!parse("build compiler").unwrap().library);
    }
}
