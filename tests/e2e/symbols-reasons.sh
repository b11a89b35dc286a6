#!/usr/bin/env bash
# `symbols` says why modules of Windows have no names: no PDB, one of another GUID or age, one that is cut, one that is found.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
make_etl=$(dirname "$STAGETRACE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"
export STAGETRACE_CACHE=$TESTDIR/cache _NT_SYMBOL_PATH=$TESTDIR/pdbs

# Each image has a PDB of its own, with another GUID; the trace has what these say, and then they change.
mkdir pdbs
export PYTHONPATH=$SRCDIR/tests/e2e/lib PYTHONDONTWRITEBYTECODE=1
cat >make.py <<'PY'
import sys
import pdb_guid
data = open(sys.argv[1], "rb").read()
page = int.from_bytes(data[32:36], "little")
# The GUID, and the stream of the symbols, which has the age that counts.
info = pdb_guid.find(data)
dbi = next(i for i in range(0, len(data), page) if data[i:i + 8] == b"\xff\xff\xff\xff" + (19990903).to_bytes(4, "little")) + 8
age = int.from_bytes(data[dbi:dbi + 4], "little") + (sys.argv[2] == "older")
first = ["found", "none", "other", "older", "cut", "changed"].index(sys.argv[3]) + 1
data = data[:dbi] + age.to_bytes(4, "little") + data[dbi + 4:]
open(sys.argv[4], "wb").write(data[:info] + bytes([first]) + data[info + 1:])
PY
images=()
for name in found none other older cut; do
	python3 make.py "$SRCDIR/tests/data/pdb/sample.pdb" as-it-is "$name" "pdbs/$name.pdb" || fail "no PDB"
	images+=("C:\\b\\$name.dll" "C:\\nowhere\\$name.pdb" "pdbs/$name.pdb")
done
"$make_etl" trace.etl 1000 "${images[@]}" || fail "no trace"
rm pdbs/none.pdb
python3 make.py "$SRCDIR/tests/data/pdb/sample.pdb" as-it-is changed pdbs/other.pdb
python3 make.py "$SRCDIR/tests/data/pdb/sample.pdb" older older pdbs/older.pdb
head -c 1000 "$SRCDIR/tests/data/pdb/sample.pdb" >pdbs/cut.pdb

"$STAGETRACE" symbols trace.etl -q --format csv --columns module,names,reason | tr -d '\r' | LC_ALL=C sort >rows || fail "no rows"
diff -u - rows <<'ROWS' || fail "other reasons"
cut.dll,none,other-pdb
found.dll,partly,gaps
module,names,reason
none.dll,none,no-pdb
older.dll,none,other-pdb
other.dll,none,other-pdb
ROWS
# The file is named.
"$STAGETRACE" symbols trace.etl -q --format csv --columns module,why | tr -d '\r' >shares
has "^other.dll,.*pdbs/other.pdb" shares && has '^none.dll,its PDB [0-9A-F]* was not found$' shares || fail "$(cat shares)"
nothing_left
