cp "$DATA/etl/SelfDescribingSingleEvent.etl" cut.etl
truncate -s -100 cut.etl
stagetrace system cut.etl | grep -E "cut|missing|damaged"
