stagetrace timeline "$DATA/etl/SIH.etl"
