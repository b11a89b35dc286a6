cp "$DATA/etl/SIH.etl" .
stagetrace symbols SIH.etl
