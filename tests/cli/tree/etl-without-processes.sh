cp "$DATA/etl/SIH.etl" .
stagetrace tree SIH.etl
