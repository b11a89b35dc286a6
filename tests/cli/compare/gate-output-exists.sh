# Under a gate what fails otherwise is no answer either: not 1, which git bisect would take for "bad".
cp -r "$DATA/traced-run" base
touch rows.csv
stagetrace compare base base --fail-if 'peak > 1GB' -o rows.csv || echo "$?"
stagetrace compare base base -o rows.csv || echo "$?"
stagetrace history check --fail-if 'peak > 1GB' -o rows.csv || echo "$?"
