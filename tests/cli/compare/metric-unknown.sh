# Gates and histories have a peak of the build; of rows it has another name.
for metric in peak own-peek; do
	stagetrace compare base new --metric "$metric" 2>&1 || echo "exit code $?"
done
