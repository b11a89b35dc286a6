# What is printed is one line; a directory deeper than any of a run is refused, as what is in it would be left out.
cp -r "$DATA/tiny-run" run
name=$(printf 'a\nb.zip')
stagetrace bundle run -o "$name" | cut -d , -f 1
deep=run$(printf '/d%.0s' {1..40})
mkdir -p "$deep"
ln -s /etc/passwd "$deep/link"
(stagetrace bundle run -o deep.zip 2>&1 || true) | sed "s|$PWD/||g"
mkfifo config.ini
timeout 600 stagetrace check config.ini 2>&1 || echo "exit code $?"
