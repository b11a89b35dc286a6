# Of a recording that was killed while packing the beginning of its bundle is removed, and nothing else of that name.
cp -r "$DATA/tiny-run" run
place=$(python3 -c 'import os; s = os.stat("run"); print("%x:%x" % (s.st_dev, s.st_ino))')
begin() {
	echo begun >run.zip.partial
	echo mine >run.zip.partial-notes
	echo mine >run.zip
}
begin
stagetrace recover run >/dev/null 2>&1
ls
sed -i "s/^{/{ \"place\": \"$place\",/" run/manifest.json
stagetrace recover run >/dev/null 2>&1
ls
cp -r run copy
for name in copy.zip copy.zip.partial copy.zip.partial.a; do
	echo mine >$name
done
stagetrace recover copy >/dev/null 2>&1
ls
