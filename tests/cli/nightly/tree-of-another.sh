# A working tree that was there before is refused if another user has it, or if it is a link.
mkdir rust
touch rust/x.py
git() { command git -c user.name=test -c user.email=test@example.com "$@"; }
git -C rust init -q
git -C rust add .
git -C rust commit -qm first
printf '[run]\nsource = rust\n[stage2]\ncommand = true\n[record]\nrecorder = none\n' >test.ini
nightly() {
	stagetrace nightly test.ini --ab HEAD HEAD --rounds 1 --dry-run >out 2>err || echo "exit code $?"
	sed -n 's|test-ab-[0-9a-f]*|SERIES|g; s|'"$PWD"'|HERE|g; /another user\|a link/p' err
}
nightly
series=$(grep -o "$PWD/runs/test-ab-[0-9a-f]*" out | sed -n 1p)
mkdir -p "$series/tree-a"
nightly
ln -s ../../rust "$series/tree-b"
nightly
rm "$series/tree-b"
# Only root can give it away.
if [ "$(id -u)" = 0 ]; then
	chown 12345 "$series/tree-a"
	nightly
	SUDO_UID=12345 nightly
else
	printf '%s\n' 'exit code 1' "stagetrace: 'HERE/runs/SERIES/tree-a' belongs to another user, whose files would be built: remove it, or give another --out"
fi
