# A 0 in the list is that of its place alone, and a number without a unit is no percentage and no time.
"$DATA/../tools/make-runs.sh" "$DATA" runs 30000 30300
show() {
	stagetrace compare -q runs/*0101T* runs/*0102T* --metric cpu --min-effect "$1" | sed '1,/^$/d' || true
}
show 50%,0,0
show 0,0,0
show 0
show 1%,2MB,0
for effect in 5 1%,1MB,5 1%,1MB,1s,0 1%,1MB,1s,2%; do
	stagetrace compare runs/*0101T* runs/*0102T* --min-effect "$effect" || echo "$?"
done
