# Of a stranger's run the commands are shown, and no place that it names is looked at: where a link leads is not known.
mkdir run real
touch real/b.toml
ln -s real link
cp "$DATA/tiny-run/manifest.json" run
cat >run/config.ini <<INI
[run]
name = theirs
source = $PWD/link
[bootstrap]
config = $PWD/link/b.toml
[stage1]
command = $PWD/link/x.py {set}
[stage2]
command = $PWD/link/x.py 2 {set}
env.A;touch\${IFS}made;B = v
[record]
recorder = none
[bundle]
mode = 0664
INI
stagetrace rerun run --dry-run 2>&1 | sed -E "s|$PWD|HERE|g; s|[0-9]{8}T[0-9]{6}Z|TIME|g"
ls
