#!/usr/bin/env bash
# PDBs of several compilers and linkers: names, lines and inlined functions of all addresses equal those of
# llvm-symbolizer 19. One PDB is in tests/data/pdb; larger ones, which are not part of the project, are in
# $STAGETRACE_SHARED, else ../shared.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
ask=$(dirname "$STAGETRACE")/tests/tools/ask-pdb
check=$SRCDIR/tests/tools/check-pdb.py
shared=${STAGETRACE_SHARED:-$SRCDIR/../shared}

python3 "$check" "$ask" "$SRCDIR/tests/data/pdb" || fail "tests/data/pdb differs"
# A difference is seen.
cp "$SRCDIR"/tests/data/pdb/* .
sed -i '23s/twice_mix/other/g; 90s/[0-9]*$/1/' expected.tsv
if python3 "$check" "$ask" . >differences; then fail "a difference was not seen"; fi
grep -q 'names differ.*other' differences || fail "no name differs: $(cat differences)"
grep -q 'lines differ' differences || fail "no line differs: $(cat differences)"

# Of ARM64, whose symbols, lines and inlined functions are stored as on other machines; whatever machine the PDB says, as
# what link.exe writes for ARM64EC (0xa641, 0xa64e, 0x8664) is not known.
gzip -dc "$SRCDIR/tests/data/pdb-arm64/sample.pdb.gz" >arm64.pdb
for machine in aa64 a641 a64e 8664; do
	python3 - $machine <<'PY'
import sys
data = bytearray(open("arm64.pdb", "rb").read())
at = data.index(bytes.fromhex("ffffffff77093101")) + 58  # of the header of the DBI stream
assert data[at : at + 2] == b"\x64\xaa"
data[at : at + 2] = bytes.fromhex(sys.argv[1])[::-1]
open("other.pdb", "wb").write(data)
PY
	cut -f 1 "$SRCDIR/tests/data/pdb-arm64/expected.tsv" | uniq | sed 's/^0x//' | "$ask" other.pdb |
		awk -F '\t' -v OFS='\t' 'NR == FNR { line[$1, $2] = $4; next }
			{ print $1, $2, $3, line[$1, $2] == "" ? "" : $5 }' "$SRCDIR/tests/data/pdb-arm64/expected.tsv" - |
		diff -u "$SRCDIR/tests/data/pdb-arm64/expected.tsv" - || fail "machine 0x$machine differs"
done
[ "$("$ask" --id other.pdb)" = 0F5F6B347F789AF54C4C44205044422E1 ] || fail "the id differs"

if [ ! -d "$shared/pdb" ] || [ ! -d "$shared/etl/pdb-symbols" ]; then
	skip "the larger samples are not here: ../shared/pdb, ../shared/etl/pdb-symbols"
fi
for sample in c-sample rust-full rust-lines rust-none; do
	python3 "$check" "$ask" "$shared/pdb/$sample" || fail "$sample differs"
done

symbols=$shared/etl/pdb-symbols
python3 "$check" "$ask" --publics "$symbols/CppCon.pdb" "$symbols/CppCon.publics.tsv" || fail "CppCon's publics differ"
[ "$("$ask" --id "$symbols/CppCon.pdb")" = 12DC0A4FBD7D4F2AA9BE263BACAEB4675 ] || fail "CppCon's id differs"
echo 1000 | "$ask" "$symbols/CppCon.pdb" | sed 's,[^\t]*\\\([^\t]*\),\1,' >main
[ "$(cat main)" = "$(printf '0x1000\t0\tmain\tCppCon.cpp\t7')" ] || fail "CppCon's main: $(cat main)"

# .NET's own have public symbols, and do not say where their sections are.
python3 -c 'import sys, zipfile
for name in zipfile.ZipFile(sys.argv[1]).namelist():
    if name.endswith(".pdb"):
        id, file = name.split("\\")[-2:]
        open(file, "wb").write(zipfile.ZipFile(sys.argv[1]).read(name))
        print(file, id)' "$shared/etl/perfview-net45-x86-win7/net.4.5.x86.etl.zip" >ngen
while read -r file id; do
	python3 "$check" "$ask" --publics "$file" "$symbols/${file%.pdb}.publics.tsv.gz" || fail "$file: publics differ"
	[ "$("$ask" --id "$file" | tr A-F a-f)" = "$id" ] || fail "$file: $("$ask" --id "$file") in place of $id"
done <ngen
[ "$(wc -l <ngen)" = 3 ] || fail "not three: $(cat ngen)"
