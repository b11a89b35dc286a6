#!/usr/bin/env python3
"""Entry of the small bootstrap: same command line, processes and directories as rustc's x.py.

Finds an installed Rust toolchain and puts it where stage 0 belongs, builds the `bootstrap` program
with it and hands the command line over. README.md says what can be set.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CRATES = "/usr/share/cargo/registry"  # where Debian's librust-*-dev packages are
SECTIONS = ("build", "demo", "dist", "install", "llvm", "rust", "target")
DEMO_KEYS = ("daemon", "fail", "size", "sleep")


class Failure(Exception):
    """A message for the user."""


def plain(value):
    """The value of a TOML scalar, as text."""
    value = value.strip()
    if value[:1] in ("'", '"') and value[-1:] == value[:1]:
        return value[1:-1]
    return value


def read_config(path):
    """Settings of a configuration file, `section.key` to text.

    Only flat TOML: Python 3.9 has no reader of its own, and this needs no more.
    """
    settings, section = {}, ""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise Failure(f"cannot read '{path}': {err.strerror}") from err
    for number, line in enumerate(lines, 1):
        line = line.partition(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]").strip() + "."
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise Failure(f"{path}:{number}: expected 'key = value'")
        settings[section + key.strip()] = plain(value)
    return settings


def option_values(argv, name):
    """Values of an option that may come as `--name value` or `--name=value`, and repeatedly."""
    values, rest = [], iter(argv)
    for arg in rest:
        if arg == "--":
            break
        if arg == name:
            values.append(next(rest, ""))
        elif arg.startswith(name + "="):
            values.append(arg[len(name) + 1:])
    return values


def read_settings(argv):
    """All settings: of the file, then of the command line, which wins."""
    files = option_values(argv, "--config")
    if not files:
        files = [HERE / name for name in ("bootstrap.toml", "config.toml") if (HERE / name).exists()]
    settings = read_config(files[0]) if files else {}
    for pair in option_values(argv, "--set"):
        key, equals, value = pair.partition("=")
        if not equals:
            raise Failure(f"--set takes KEY=VALUE, not '{pair}'")
        settings[key.strip()] = plain(value)
    for key in settings:
        section, dot, name = key.partition(".")
        known = not dot or section in SECTIONS
        if not known or (section == "demo" and name not in DEMO_KEYS):
            raise Failure(f"unknown setting '{key}'")
    return settings


def build_dir(argv, settings):
    """Where all output goes."""
    chosen = option_values(argv, "--build-dir")
    return (HERE / (chosen[-1] if chosen else settings.get("build.build-dir", "build"))).absolute()


def clean_environment():
    """Ours, without what would reach into the builds below.

    MAKEFLAGS is among it: under `make` cargo would wait for the job slots of an outer build.
    """
    dropped = ("CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS", "MAKEFLAGS", "MFLAGS", "RUSTUP_TOOLCHAIN")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}


def output_of(command):
    """What a command prints, or None if it can't be run or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, env=clean_environment(), check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.decode().strip()


def find_program(name, settings):
    """An installed rustc or cargo: the one set, else of PATH, else where rustup puts it."""
    if "build." + name in settings:
        return settings["build." + name]
    found = shutil.which(name) or shutil.which(name, path=os.path.expanduser("~/.cargo/bin"))
    if not found:
        raise Failure(f"no {name} found: install rustc and cargo, or set build.rustc and build.cargo")
    return found


def find_toolchain(settings):
    """(sysroot, rustc, cargo, `rustc -vV`) of the installed toolchain.

    What PATH has may be rustup's proxy, a program that then runs another. Stage 0 needs the compiler
    itself, which is in the sysroot that it names.
    """
    rustc = find_program("rustc", settings)
    sysroot = output_of([rustc, "--print", "sysroot"])
    version = output_of([rustc, "-vV"])
    if sysroot is None or version is None:
        raise Failure(f"'{rustc}' does not work")
    sysroot = Path(sysroot)
    cargo = sysroot / "bin/cargo"
    if "build.cargo" in settings or not cargo.exists():
        cargo = Path(find_program("cargo", settings))
    return sysroot, sysroot / "bin/rustc", cargo, version


def host_of(version):
    """The triple in the output of `rustc -vV`."""
    for line in version.splitlines():
        if line.startswith("host: "):
            return line[len("host: "):]
    raise Failure("rustc -vV names no host")


def place_stage0(out, toolchain):
    """Put the toolchain at <out>/stage0, as if downloaded and unpacked.

    The programs are copied, so that the file that runs is stage0/bin/rustc. Libraries are linked to:
    they are large, and the loader does not mind. With another toolchain than last time everything
    built goes.
    """
    sysroot, rustc, cargo, version = toolchain
    stamp = out / "stage0/.toolchain"
    identity = f"{version}\n{rustc} {rustc.stat().st_mtime_ns}\n{cargo} {cargo.stat().st_mtime_ns}\n"
    if stamp.exists() and stamp.read_text() == identity:
        return
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(out.parent / "bootstrap", ignore_errors=True)
    (out / "stage0/bin").mkdir(parents=True)
    (out / "stage0/lib").mkdir()
    shutil.copy2(rustc, out / "stage0/bin/rustc")
    shutil.copy2(cargo, out / "stage0/bin/cargo")
    # A distribution's lib is the whole system's.
    names = ("librustc_driver-*", "libLLVM*rust*", "libLLVM-*-rust-*", "libstd-*", "rustlib")
    for file in {file for name in names for file in (sysroot / "lib").glob(name)}:
        (out / "stage0/lib" / file.name).symlink_to(file)
    stamp.write_text(identity)


def writable_source(build):
    """The directory of the workspaces: ours, or a copy in the build directory if we can't write here.

    cargo keeps its Cargo.lock next to the workspace and nowhere else. None is shipped, as which
    versions there are is up to the distribution.
    """
    if os.access(HERE, os.W_OK):
        return HERE
    copy = build / "source"
    shutil.rmtree(copy, ignore_errors=True)
    for name in ("compiler", "library", "src"):
        shutil.copytree(HERE / name, copy / name)
    shutil.copy2(HERE / "Cargo.toml", copy)
    return copy


def write_cargo_config(build, settings):
    """A cargo configuration that takes crates from the distribution's packages, never from a network."""
    crates = Path(settings.get("build.crates", CRATES))
    if not crates.is_dir():
        raise Failure(f"no crates in '{crates}': install the librust-*-dev packages of README.md")
    path = build / "cargo.toml"
    path.write_text(
        '[source.crates-io]\nreplace-with = "packages"\n'
        f"[source.packages]\ndirectory = '{crates}'\n"
        "[net]\noffline = true\n"
    )
    return path


def lock(build):
    """Keep a second x.py out of the same build directory until this one ends."""
    build.mkdir(parents=True, exist_ok=True)
    file = open(build / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"{build} is used by another x.py, waiting for it", file=sys.stderr, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


def run(command, env, cwd):
    """Run a command to its end; its exit code."""
    return subprocess.call([str(arg) for arg in command], env=env, cwd=cwd)


def main(argv):
    """Do it; the exit code."""
    if not argv or "-h" in argv or "--help" in argv:
        print("usage: x.py build [--stage N] [-i] [-v] [-j N] [--set KEY=VALUE]... [--config FILE]"
              " [--build-dir DIR] [library] [compiler]")
        return 0 if argv else 2
    settings = read_settings(argv)
    build = build_dir(argv, settings)
    held = lock(build)
    toolchain = find_toolchain(settings)
    host = host_of(toolchain[3])
    out = build / host
    place_stage0(out, toolchain)
    source = writable_source(build)
    cargo_config = write_cargo_config(build, settings)

    stage0 = out / "stage0/bin"
    env = clean_environment()
    env["CARGO_HOME"] = str(build / "cargo-home")
    print("Building bootstrap", flush=True)
    code = run(
        [stage0 / "cargo", "build", "--manifest-path", source / "src/bootstrap/Cargo.toml",
         *(["-v"] if "-v" in argv else ["-q"]), "--config", cargo_config],
        {**env, "CARGO_TARGET_DIR": str(build / "bootstrap"), "RUSTC": str(stage0 / "rustc")},
        source,
    )
    if code == 0:
        env.update(
            BUILD_DIR=str(build),
            BOOTSTRAP_SOURCE=str(source),
            BOOTSTRAP_HOST=host,
            BOOTSTRAP_TOOLCHAIN=str(toolchain[0]),
            BOOTSTRAP_CARGO_CONFIG=str(cargo_config),
            BOOTSTRAP_SETTINGS="\n".join(f"{key}={value}" for key, value in settings.items()),
        )
        code = run([build / "bootstrap/debug/bootstrap", *argv], env, source)
    held.close()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(f"x.py: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
