cp "$DATA/etl/SelfDescribingSingleEvent.etl" bad.etl
printf '\377\377\377\377\377\377\377\377' | dd of=bad.etl bs=1 seek=1200 conv=notrunc 2>/dev/null
stagetrace system bad.etl | grep -E "cut|missing|damaged"
