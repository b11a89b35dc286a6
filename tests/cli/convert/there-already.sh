echo mine >x.etl
stagetrace convert "$DATA/traced-run" -o x.etl || code=$?
cat x.etl
exit "$code"
