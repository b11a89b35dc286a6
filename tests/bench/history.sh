#!/usr/bin/env bash
# How long `history` takes with a long history: history.sh [sqlite|postgres [HOSTS [NIGHTS [SERIES]]]]
# How much many machines add in a second: history.sh writers [WRITERS [RUNS [CRATES]]]
#
# Makes HOSTS machines (100) with NIGHTS runs each (1,000) and SERIES values in each (300) by SQL, 30 million rows, in WORK (or a new
# directory; kept if WORK is given, and then used again), and prints the median of 9 of each command: wall time and CPU time in
# milliseconds. PostgreSQL is started on a socket below WORK, as the user postgres if this one is root.
#
# WRITERS (50) programs at once add RUNS runs each (4) without a trace, of CRATES more crates (1,000), to PostgreSQL with fsync, all on this
# machine: prints runs and rows a second.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
program=$root/build/stagetrace
kind=${1:-sqlite} hosts=${2:-100} nights=${3:-1000} series=${4:-300}
# One of them is asked for.
host=machine$(((hosts + 2) / 3)) crate=crate$(((series + 5) / 4))
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT

# SQL for the numbers from 1 to $1
numbers() {
	if [ "$kind" = postgres ]; then
		echo "SELECT n FROM generate_series(CAST(1 AS BIGINT), $1) AS g(n)"
	else
		echo "SELECT value AS n FROM generate_series WHERE start = 1 AND stop = $1"
	fi
}

# SQL for all series with the runs of their setup, s and r, in the order of the key of results. SQLite joins from left to right
# then, and need not sort.
each_result() {
	local join=JOIN

	[ "$kind" = postgres ] || join='CROSS JOIN'
	echo "FROM series AS s $join setup ON setup.id = s.setup $join run AS r ON r.setup = s.setup
		WHERE config = 'nightly' ORDER BY s.id, r.time"
}

# A value is a level with some noise that the series and the run decide.
fill() {
	local noise='((s.id * 7919 + r.id * 104729) % 2001 - 1000)'

	cat <<-SQL
		INSERT INTO setup (config, host) SELECT 'nightly', 'machine' || n FROM ($(numbers "$hosts")) AS h;
		INSERT INTO run (name, setup, time, commit_hash, branch, version, recorder, kernel, cpu, settings, gates, failed, added)
		SELECT 'nightly-' || n, setup.id, 1700000000000 + n * 86400000, 'c' || n, '', '', 'perf', '6.1', '', '', '', 0, 0
		FROM setup, ($(numbers "$nights")) AS h WHERE config = 'nightly';
		INSERT INTO series (setup, kind, part, role, crate, crate_type, phase, module, function)
		SELECT setup.id, CASE WHEN n = 1 THEN 'build' ELSE 'crate' END, CASE WHEN n = 1 THEN '' ELSE 'stage1-rustc' END, '',
		CASE WHEN n = 1 THEN '' ELSE 'crate' || n END, '', '', '', ''
		FROM setup, ($(numbers "$series")) AS h WHERE config = 'nightly';
		INSERT INTO result
		SELECT s.id, r.time, r.id, 90000000000 + 900000 * $noise, 80000000000 + 800000 * $noise, 1000000, 4000000000,
		1000000000 + 10000 * $noise, 5000000000, 900000000, 800000000, 1100000000, 12345
		$(each_result);
	SQL
}

make_sqlite() {
	sqlite3 "$work/history.sqlite" >/dev/null <<-SQL
		PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
		$(fill)
	SQL
}

as_server() {
	if [ "$(id -u)" = 0 ]; then
		(cd / && setpriv --reuid=postgres --regid=postgres --clear-groups "$@")
	else
		"$@"
	fi
}

start_postgres() {
	bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
	mkdir -p "$work/pg"
	[ "$(id -u)" != 0 ] || { chmod 711 "$work" && chown postgres "$work/pg"; }
	if [ ! -e "$work/pg/db" ]; then
		as_server "$bin/initdb" -D "$work/pg/db" -U owner -A trust -E UTF8 --locale=C >"$work/log"
		echo "listen_addresses = ''
unix_socket_directories = '$work/pg'
max_wal_size = 8GB
shared_buffers = 1GB
work_mem = 512MB
checkpoint_timeout = 30min
max_connections = 200
fsync = off" >>"$work/pg/db/postgresql.conf"
	fi
	as_server "$bin/pg_ctl" -D "$work/pg/db" -l "$work/pg/log" -w start >"$work/log"
	trap 'as_server "$bin/pg_ctl" -D "$work/pg/db" -w stop >"$work/log"; [ -n "${WORK:-}" ] || rm -rf "$work"' EXIT
}

sql() { psql -h "$work/pg" -U owner -d postgres -Atqc "$1"; }

# Each month has its table, as `history add` makes it.
make_postgres() {
	local night month

	for ((night = 0; night <= nights + 31; night += 28)); do
		month=$(date -u -d "@$((1700000000 + night * 86400))" +%Y-%m)
		sql "SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS result_${month/-/_} PARTITION OF result
			FOR VALUES FROM ($(date -u -d "$month-01" +%s)000) TO ($(date -u -d "$month-01 + 1 month" +%s)000)"
	done
	fill | psql -h "$work/pg" -U owner -d postgres -q -v ON_ERROR_STOP=1
	sql 'VACUUM ANALYZE'
}

# time_of NAME COMMAND...: the median of 9
time_of() {
	local name=$1 i

	shift
	for ((i = 0; i < 9; i++)); do
		command time -q -f '%e %U %S' -a -o "$work/times" "$@" >"$work/out" 2>"$work/err" || [ $? = 3 ] || { cat "$work/err" >&2; exit 1; }
	done
	sort -n "$work/times" | awk -v name="$name" 'NR == 5 { printf "%-44s %4d ms, CPU %3d ms\n", name, $1 * 1000, ($2 + $3) * 1000 }'
	rm "$work/times"
}

make_runs() {
	local i crate run

	for ((crate = 0; crate < $3; crate++)); do
		sed -n '/"crate":"core"/{s/"core"/"crate'$crate'"/g; s/"pid":[0-9]*/"pid":'$((1000 + crate))'/p}' tests/data/tiny-run/processes.jsonl
	done >"$work/crates"
	for ((i = 0; i < $1; i++)); do
		# shellcheck disable=SC2046 # numbers
		HOST=machine$i tests/tools/make-runs.sh tests/data "$work/runs/$i" $(seq 1000 $((999 + $2)))
		for run in "$work/runs/$i"/*; do
			cat "$work/crates" >>"$run/processes.jsonl"
		done
	done
}

time_writers() {
	local writers=${1:-50} runs=${2:-4} crates=${3:-1000} i begin end pids=()

	make_runs "$writers" "$runs" "$crates"
	sed -i '/^fsync/d' "$work/pg/db/postgresql.conf"
	as_server "$bin/pg_ctl" -D "$work/pg/db" -l "$work/pg/log" -w restart >"$work/log"
	cp -r tests/data/tiny-run "$work/tiny"
	"$program" history add -q "$work/tiny" >"$work/out"
	begin=$EPOCHREALTIME
	for ((i = 0; i < writers; i++)); do
		"$program" history add -q "$work/runs/$i"/* >"$work/out.$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	end=$EPOCHREALTIME
	sql "SELECT count(DISTINCT run) - 1, count(*), (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
		WHERE inhparent = 'result'::regclass) FROM result" | tr '|' ' ' |
		awk -v s="$(bc <<<"$end - $begin")" '{ printf "%d runs, %d rows of %.0f bytes in %.1f s: %.0f runs, %.0f rows a second\n", $1, $2, $3 / $2, s, $1 / s, $2 / s }'
}

if [ "$kind" != sqlite ]; then
	start_postgres
	export STAGETRACE_HISTORY="postgresql://owner@/postgres?host=$work/pg"
else
	export STAGETRACE_HISTORY=$work/history.sqlite
fi
if [ "$kind" = writers ]; then
	time_writers "${@:2}"
	exit
fi
if [ ! -e "$work/made-$kind" ]; then
	rm -f "$work/history.sqlite"
	cp -r tests/data/tiny-run "$work/tiny"
	"$program" history add "$work/tiny" >"$work/out" 2>&1
	"make_$kind"
	touch "$work/made-$kind"
fi
if [ "$kind" = postgres ]; then
	sql "SELECT 'rows ' || count(*) || ', ' || pg_size_pretty(pg_database_size('postgres')) FROM result"
else
	sqlite3 "$STAGETRACE_HISTORY" "SELECT 'rows ' || count(*) FROM result"
	stat -c '%s bytes' "$STAGETRACE_HISTORY"
fi
time_of 'show own-peak --crate, 365 runs' "$program" history show own-peak --crate "$crate" --host "$host" --config nightly
time_of 'show own-peak --crate, all runs' "$program" history show own-peak --crate "$crate" --host "$host" --config nightly --last 100000
time_of 'show wall, host by the newest run' "$program" history show wall
time_of 'list --last 20' "$program" history list --last 20
time_of 'check, 365 runs, all series' "$program" history check --host "$host" --config nightly
