head -c 5000 "$DATA/etl/SIH.etl" >cut.etl
stagetrace cpu cut.etl
