cp "$DATA/etl/SIH.etl" a.etl
cp "$DATA/etl/SelfDescribingSingleEvent.etl" b.etl
stagetrace system a.etl b.etl
