# On a terminal of 60 columns: headings and warnings are bold, unless that is unwanted, and messages fit its width.
on_terminal() {
	python3 - "$@" <<'PY'
import fcntl, os, pty, struct, sys, termios

pid, terminal = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp("env", ["env", "-u", "COLUMNS", "-u", "NO_COLOR", *sys.argv[1:]])
text = b""
while True:
    try:
        read = os.read(terminal, 65536)
    except OSError:
        break
    if not read:
        break
    text += read
os.waitpid(pid, 0)
print(text.decode().replace("\r\n", "\n").replace("\x1b", "ESC"), end="")
PY
}
view=(stagetrace cpu "$DATA/traced-run" --by role --crate nothing --crate no_crate_of_the_build_has_such_a_long_name)
on_terminal TERM=xterm "${view[@]}"
echo '-- unwanted'
on_terminal TERM=xterm NO_COLOR=1 "${view[@]}" | grep -c ESC || true
on_terminal TERM=dumb "${view[@]}" | grep -c ESC || true
on_terminal TERM=xterm "${view[@]}" --color never | grep -c ESC || true
echo '-- wanted'
on_terminal TERM=xterm NO_COLOR= "${view[@]}" | grep -c ESC
on_terminal TERM=dumb NO_COLOR=1 "${view[@]}" --color always | grep -c ESC
