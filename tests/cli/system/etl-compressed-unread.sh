cp "$DATA/etl/SelfDescribingSingleEvent.etl" bad.etl
printf '\7\0\0\0' | dd of=bad.etl bs=1 seek=1024 conv=notrunc 2>/dev/null
stagetrace system bad.etl | grep -E "cut|missing|damaged|unread"
