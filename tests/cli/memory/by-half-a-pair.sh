# A comma with a key on one side only: the message says what may be there, and repeats what was.
cd "$DATA" || exit
for keys in 'crate,' ',crate' ','; do
	stagetrace memory traced-run --by "$keys" || echo "exit code $?"
done
