cp -r "$DATA/traced-run" base
cp -r base new
stagetrace compare base new --by function --format csv --columns function,state --full-names
