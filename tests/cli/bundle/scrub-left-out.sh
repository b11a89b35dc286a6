# Files that are no text are left out of a scrubbed bundle, and named; only the first 100 of many.
cp -r "$DATA/traced-run" run
mkdir run/notes
printf '\001\002' >run/notes/core.bin
printf '\001\002' >run/example.png
stagetrace bundle run --scrub -o few.zip | sed 's|^few.zip, .*|few.zip|'
unzip -Z1 few.zip | grep 'core.bin\|png' || echo 'neither is in it'
for i in $(seq 1000 1110); do printf '\001' >"run/notes/$i.bin"; done
stagetrace bundle run --scrub -o many.zip | grep -c 'notes/1.*a file that is no text'
stagetrace bundle run --scrub -o many.zip --force | grep 'more files'
stagetrace system many.zip --format csv 2>&1 | grep scrubbed
