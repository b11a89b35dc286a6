# A bundle has the names of the run, and the same rows.
cp -r "$DATA/traced-run" run
stagetrace bundle run >bundled
stagetrace symbols run.zip --format csv >of-bundle.csv
stagetrace symbols run --format csv >of-run.csv
cmp of-bundle.csv of-run.csv && wc -l <of-run.csv
