# An address of another kind is refused, of which nothing is shown but its first word; no file gets its name.
refused() {
	local code=0

	stagetrace history "$@" || code=$?
	[ "$code" = 2 ] || echo "exit code $code"
}
for place in mysql://user:s3cret@host/name postgresql:/user:s3cret@host/name PostgreSQL://user:s3cret@host/name \
	'host=db user=me password=s3cret' user:s3cret@host ''; do
	refused list --db "$place"
done
refused add "$DATA/traced-run" --db mysql://user:s3cret@host/name
STAGETRACE_HISTORY=mysql://user:s3cret@host/name refused check --fail-if 'peak > 1GB'
stagetrace compare "$DATA/traced-run" "$DATA/traced-run" --db 'host=db password=s3cret' >out || echo "exit code $?"
find . -name '*s3cret*'
# Unless it is said to be a file.
stagetrace history add "$DATA/traced-run" --db ./host=db
stagetrace history list --db ./host=db --columns run
