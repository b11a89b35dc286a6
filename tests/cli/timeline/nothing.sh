cd "$DATA" && stagetrace timeline etl/SIH.etl
