# Every command that takes -o: a link, a FIFO and the like stay what they are.
run() {
	local code=0

	timeout 600 stagetrace "$@" >said 2>&1 || code=$?
	printf '%s: %d, %s\n' "$1" "$code" "$(sed 's/^stagetrace: //; s/^cannot bundle .[^ ]*: //' said)"
}

cp -r "$DATA/traced-run" run
echo mine >file
ln -s file link
ln -s nothing dangling
ln -s file temporary.partial
mkfifo fifo
mkdir dir
for out in link dangling temporary dir none/x; do
	echo "-- $out"
	run export run -o $out
	run convert run -o $out
	run bundle run -o $out
	run memory run -o $out
done
echo "-- fifo"
run convert run -o fifo
run bundle run -o fifo
timeout 600 cat fifo >piped &
run export run -o fifo
wait
stagetrace export run 2>/dev/null | cmp - piped
timeout 600 cat fifo >piped &
run cpu run -o fifo
wait
stagetrace cpu run | cmp - piped
cat file
stat -c %A dangling dir fifo link temporary.partial | cut -c 1
ls
