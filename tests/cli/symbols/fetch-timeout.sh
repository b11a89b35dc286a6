# More than a day is a mistake.
stagetrace symbols "$DATA/traced-run" --fetch http://127.0.0.1:1 --fetch-timeout 86401
