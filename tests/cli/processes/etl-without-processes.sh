cp "$DATA/etl/SIH.etl" .
stagetrace processes SIH.etl
