#!/usr/bin/env bash
# A history on a real PostgreSQL: 50 writers, of which one is killed and one disconnected, while the server is restarted. Nothing is
# lost, nothing doubled; users who may only read can read; secrets of URLs are never shown or kept; months are dropped.
# kind: alone
. "$SRCDIR/tests/e2e/lib/lib.sh"

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
[ -x "${bin:-/nonexistent}/initdb" ] || skip "PostgreSQL's server is not installed (Debian: postgresql)"
python3 -c 'import ctypes; ctypes.CDLL("libpq.so.5")' 2>/dev/null || skip "libpq.so.5 is not installed"

# The server refuses to run as root. Its socket is in a directory of its own: paths of sockets are short.
as_server=()
sockets=$(mktemp -d /tmp/st-pg.XXXXXX)
mkdir server
if [ "$(id -u)" = 0 ]; then
	id postgres >/dev/null 2>&1 || skip "there is no user postgres to run the server as"
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	as_server=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	chown postgres server "$sockets"
	# The directories of tests are root's alone.
	data=$(mktemp -d /tmp/st-pg-data.XXXXXX)
	chown postgres "$data"
else
	data=$PWD/server
fi

server() { (cd / && "${as_server[@]}" "$bin/pg_ctl" -D "$data/db" -l "$data/log" -w -t 60 "$@") >>server.log 2>&1; }
finish() {
	server stop -m immediate || true
	rm -rf "$sockets"
	[ "$(id -u)" != 0 ] || rm -rf "$data"
}
trap finish EXIT
echo s3cr%t >"$data/password"
chmod 644 "$data/password"
(cd / && "${as_server[@]}" "$bin/initdb" -D "$data/db" -U owner -A scram-sha-256 --pwfile="$data/password" -E UTF8 --locale=C) >server.log 2>&1 ||
	fail "initdb: $(cat server.log)"
echo "listen_addresses = ''
unix_socket_directories = '$sockets'
max_connections = 80" >>"$data/db/postgresql.conf"
server start || fail "the server does not start: $(cat server.log "$data/log")"

# The password has a character that URLs escape.
url() { echo "postgresql://$1:s3cr%25t@/postgres?host=$sockets"; }
sql() { PGPASSWORD=s3cr%t psql -h "$sockets" -U owner -d postgres -Atqc "$1"; }
export STAGETRACE_HISTORY
STAGETRACE_HISTORY=$(url owner)

# 50 machines, of each 4 nights; every writer adds all of its runs, one by one, and then once more, as a nightly job that
# was interrupted does.
writers=50 nights=4
for ((i = 0; i < writers; i++)); do
	HOST=machine$i "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" "runs/$i" 1000 1010 1020 1030
done
"$STAGETRACE" history add runs/0/tiny-20260101T120000Z >out 2>err || fail "the first run: $(cat err)"
rows=$(sql 'SELECT count(*) FROM result')
[ "$rows" -gt 5 ] || fail "the first run has $rows results"

write() {
	local run

	for run in "runs/$1"/*; do
		"$STAGETRACE" history add "$run" >>"out.$1" 2>>"err.$1" || echo "failed: $run" >>"err.$1"
	done
	touch "done.$1"
}
pids=()
for ((i = 0; i < writers; i++)); do
	write "$i" &
	pids+=($!)
done
# One is killed in the middle, one loses its connection, the server is restarted.
wait_for test -s out.7
kill_job "${pids[7]}"
[ ! -e done.7 ] || fail "the writer to be killed had ended"
disconnect() {
	[ "$(sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stagetrace' LIMIT 1")" = t ]
}
wait_for disconnect
[ "$(find . -maxdepth 1 -name 'done.*' | wc -l)" -lt $((writers - 1)) ] || fail "no writer is left that the restart could meet"
server restart -m fast || fail "restart: $(cat server.log)"
for ((i = 0; i < writers; i++)); do
	wait "${pids[i]}" 2>/dev/null || [ "$i" = 7 ] || fail "writer $i: $(cat "err.$i")"
done
for ((i = 0; i < writers; i++)); do
	[ "$i" = 7 ] || [ -e "done.$i" ] || fail "writer $i did not end"
	# What failed is said; trying again is all that has to be done.
	write "$i"
done

[ "$(sql 'SELECT count(*) FROM run')" = $((writers * nights)) ] || fail "runs: $(sql 'SELECT count(*) FROM run')"
[ "$(sql 'SELECT count(DISTINCT (setup, name)) FROM run')" = $((writers * nights)) ] || fail "a run is there twice"
[ "$(sql 'SELECT count(*) FROM result')" = $((writers * nights * rows)) ] ||
	fail "results: $(sql 'SELECT count(*) FROM result'), not $((writers * nights * rows))"
[ "$(sql 'SELECT count(*) FROM setup')" = $writers ] || fail "setups: $(sql 'SELECT count(*) FROM setup')"

# Who may only read reads, and cannot add.
sql "CREATE ROLE reader LOGIN PASSWORD 's3cr%t'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
"$STAGETRACE" history show cpu --db "$(url reader)" --host machine3 --crate core --format csv --columns run,cpu_ns >out 2>err ||
	fail "a reader: $(cat err)"
[ "$(grep -c '^tiny-2026010[1-4]T120000Z,10[0-3]0000000' out)" = 4 ] || fail "a reader gets: $(cat out)"
FIRST=9 "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" later 1000
! "$STAGETRACE" history add later/* --db "$(url reader)" >out 2>err || fail "a reader added"
has 'this user may not do that' err || fail "a reader adds: $(cat err)"

# The queries of the dashboard, by who may only read. Of phases nothing is known here.
sql "INSERT INTO acknowledged (setup, series, metric, time, run, note, added) SELECT setup, 0, '', time, name, 'known', 0 FROM run"
python3 - "$SRCDIR/profiles/grafana-history.json" <<'PY' >queries || fail "the dashboard has no queries"
import json, sys

def find(part):
    if isinstance(part, dict):
        for value in part.values():
            if isinstance(value, str) and value.startswith("SELECT "):
                yield value
            yield from find(value)
    elif isinstance(part, list):
        for value in part:
            yield from find(value)

variables = {"$config": "tiny", "$host": "machine3", "$crate": "core", "$part": "stage2-std", "$__unixEpochFrom()": "0", "$__unixEpochTo()": "4000000000"}
queries = sorted(set(find(json.load(open(sys.argv[1])))))
assert len(queries) > 10
for query in queries:
    for name, value in variables.items():
        query = query.replace(name, value)
    print(" ".join(query.split()))
PY
while read -r query; do
	PGPASSWORD=s3cr%t psql -h "$sockets" -U reader -d postgres -v ON_ERROR_STOP=1 -Atqc "$query" >out 2>err </dev/null || fail "dashboard: $query: $(cat err)"
	[ -s out ] || [[ $query == *"kind = 'phase'"* ]] || fail "dashboard: nothing by $query"
done <queries

# No secret in any message, whatever is wrong with the URL, and none in the data base.
for bad in "$(url nobody)" "postgresql://owner:wrong-s3cr%25t@/postgres?host=$sockets" "postgresql://owner:s3cr%t@/postgres" \
	"postgresql://owner:s3cr%25t@[::1/postgres" "postgresql://owner:s3cr%25t@/nothing?host=$sockets" \
	"postgresql://owner:s3cr%25t@/postgres?host=/nonexistent&sslpassword=s3cr%25t" "postgresql://owner@/postgres?password=s3cr%25t&nonsense=1" \
	"postgresql://owner:s3cr#t@/postgres?host=/nonexistent" "postgresql://owner:s3cr?t@/postgres?host=/nonexistent" \
	"postgresql://owner:s3cr/t@/postgres" "postgresql://owner:s3cr"; do
	! "$STAGETRACE" history list --db "$bad" >out 2>err || fail "$bad is fine"
	[ -s err ] || fail "$bad: nothing is said"
	! cat out err | has s3cr || fail "a secret of $bad is shown: $(cat out err)"
done
! sql "SELECT row_to_json(run) FROM run" | has s3cr || fail "a secret is kept"

# Months: all of January goes with its table.
FIRST=40 "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" february 1000
"$STAGETRACE" history add february/* >out 2>err || fail "february: $(cat err)"
[ "$(sql "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relname ~ '^result_....' AND relkind = 'r'")" = "result_2026_01 result_2026_02" ] ||
	fail "months: $(sql "SELECT relname FROM pg_class WHERE relname ~ '^result'")"
"$STAGETRACE" history prune --before 2026-02-02 >out 2>err || fail "prune: $(cat err)"
has "removed $((writers * nights)) runs" out || fail "prune: $(cat out)"
[ "$(sql "SELECT to_regclass('result_2026_01') IS NULL")" = t ] || fail "January is there"
[ "$(sql 'SELECT count(*) FROM run')" = 1 ] || fail "not one run is left"

# A newer schema, and a data base of something else, are left as they are.
sql "INSERT INTO stagetrace_schema VALUES (99)"
! "$STAGETRACE" history add later/* >out 2>err || fail "a newer schema is used"
has 'newer version of stagetrace (schema 99' err || fail "newer: $(cat err)"
sql "CREATE DATABASE other"
PGPASSWORD=s3cr%t psql -h "$sockets" -U owner -d other -Atqc 'CREATE TABLE run (x int)'
! "$STAGETRACE" history add later/* --db "postgresql://owner:s3cr%25t@/other?host=$sockets" >out 2>err || fail "a foreign data base is used"
has 'has tables of something else' err || fail "foreign: $(cat err)"
