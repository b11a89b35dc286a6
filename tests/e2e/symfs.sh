#!/usr/bin/env bash
# Programs that are not at their traced paths any more are found below --symfs: by path, by name and by build id.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v cc >/dev/null || skip "cc is not installed"

cat >spinner.c <<'C'
static volatile unsigned sum;
__attribute__((noinline)) static void spins_here(void)
{
	for (unsigned i = 0; i < 200000000; i++)
		sum += i;
}
int main(void)
{
	spins_here();
	return 0;
}
C
cc -O1 -g -Wl,--build-id=sha1 -o spinner spinner.c || fail "spinner.c"
"$STAGETRACE" record --out "$TESTDIR/runs" --set record.min-free-disk=64MB --set record.buffers=16 --no-bundle -- ./spinner >out 2>err ||
	fail "$(cat err)"
run=$(the_run "$TESTDIR/runs")
id=$(readelf -n spinner | sed -n 's/.*Build ID: //p')
mkdir -p "root$PWD" names "ids/.build-id/${id:0:2}" other
cp spinner "root$PWD/spinner"
cp spinner names/spinner
cp spinner "ids/.build-id/${id:0:2}/${id:2}"
sed 's/200000000/300000000/' spinner.c | cc -x c -O1 -g -Wl,--build-id=sha1 -o other/spinner - || fail "the other spinner"
rm spinner

# view DIR: the functions of the bare trace, with --symfs DIR
view() { "$STAGETRACE" cpu "$run/trace.perf.data" --by function --process spinner --symfs "$1" --format csv --columns module,function >functions 2>err || fail "$(cat err)"; }
for dir in root names ids; do
	view "$dir"
	has '^spinner,spins_here' functions || fail "$dir: $(cat functions err)"
done
# The series of phases have these names too.
cat >spins.stacktags <<'XML'
<Tag Name=""><Tag Name="spins"><Entrypoint Module="*" Method="spins_here"/></Tag></Tag>
XML
series() { "$STAGETRACE" timeline "$run/trace.perf.data" --by phase --process spinner --stack-tags spins.stacktags --format csv -q "$@" >series || fail "no series"; }
series --symfs root
has '^spins,' series || fail "$(head -n 5 series)"
series
! has '^spins,' series || fail "named without its file: $(head -n 5 series)"
# A file with another build id is not believed.
view other
! has 'spins_here' functions && has '^spinner,spinner!0x' functions || fail "another file was used: $(cat functions err)"
# `symbols` says why.
reason() { "$STAGETRACE" symbols "$run/trace.perf.data" --process spinner --symfs "$1" --format csv --columns module,names,reason -q | tr -d '\r' >reasons; }
mkdir stripped text
strip -o stripped/spinner names/spinner || fail "strip"
printf 'no program, though it is long enough to have a header of one, and more than that\n%.0s' 1 2 3 >text/spinner
for expected in names=all other=none,other-build-id stripped=none,stripped text=none,unreadable "$TESTDIR=none,no-file"; do
	reason "${expected%=*}"
	has "^spinner,${expected#*=}" reasons || fail "$expected: $(cat reasons)"
done
rc=0
"$STAGETRACE" cpu "$run/trace.perf.data" --symfs /nowhere 2>err || rc=$?
[ $rc = 2 ] && has "symfs takes a directory, not '/nowhere'" err || fail "exit code $rc: $(cat err)"
# The run keeps its names, with and without.
"$STAGETRACE" cpu "$run" --by function --process spinner --symfs other --format csv --columns module,function | has '^spinner,spins_here' ||
	fail "the run has lost its names"
nothing_left
