stagetrace convert -o x.etl
