# Values of config.ini that go on in further lines are scrubbed as one, and the scrubbed configuration can be used.
cp -r "$DATA/tiny-run" run
x=$(printf 'x%.0s' $(seq 90))
mkdir rust
touch rust/x.py
cat >run/config.ini <<INI
# of planted-comment
[run]
name = planted-host-run
source = rust
output = /home/robe\\
	rtson/runs
[bootstrap]
registry.token = $x\\
	planted-token
llvm.cflags = /home/robe\\
	rtson/include
[stage1]
command = sh x.py
[stage2]
command = sh x.py --password \\
	planted-password "/home/robe\\
	rtson/a b" A_KEY=$x\\
	planted-argument
env.A_SECRET = $x\\
	$x\\
	planted-value
env.EMPTY =
nonsense with planted-words
[record]
recorder = none  ; default
min-free-disk = 0
INI
echo 'robertson, robe' >run/notes.txt
sed -i 's/"hostname": "[^"]*"/"hostname": "planted-host"/' run/manifest.json
stagetrace bundle run --scrub -o public.zip | sed 's/^public.zip, .*/public.zip/'
unzip -p public.zip '*/config.ini' | tee config.ini
grep -c 'planted\|robe\|rtson' config.ini || true
unzip -p public.zip '*/notes.txt'
stagetrace check config.ini | grep -o '^ok  *checkout with x.py'
