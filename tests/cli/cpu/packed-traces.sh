# A zip of ETL files, as PerfView makes them, is the trace of all of them.
zip() {
	python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for name in sys.argv[2:]: z.write(name)' "$@"
}
mkdir t
cp "$DATA/etl/SelfDescribingSingleEvent.etl" t/a.etl
python3 "$ROOT/tests/tools/make-heap-etl.py" b.ETL
echo text >log.txt
zip heap.etl.zip log.txt b.ETL
stagetrace memory heap.etl.zip --by crate >packed
stagetrace memory b.ETL --by crate | diff packed -
stagetrace system heap.etl.zip --columns section,key,value | grep -e 'trace  *format' -e 'Heap/Alloc'
# Messages name the file in the zip.
zip two.zip t/a.etl b.ETL
stagetrace processes two.zip 2>&1
head -c 400 b.ETL >cut.etl
zip cut.zip cut.etl
stagetrace tree cut.zip 2>&1 && exit 1
# What programs read in different ways.
python3 -W ignore - <<'PY'
import zipfile
for path, names in ("twice.zip", ["b.etl", "b.etl"]), ("of-windows.zip", ["t\\b.etl"]):
    with zipfile.ZipFile(path, "w") as z:
        for name in names:
            z.write("b.ETL", name)
PY
for file in twice.zip of-windows.zip; do
	stagetrace cpu "$file" 2>&1 && exit 1
done
# Not several of them, and no other packing: the message has the remedy.
stagetrace cpu two.zip heap.etl.zip 2>&1 && exit 1
gzip -kc b.ETL >b.etl.gz
printf "7z\274\257\047\034" >b.7z
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >pointer.etl
for file in b.etl.gz b.7z pointer.etl; do
	stagetrace cpu "$file" 2>&1 && exit 1
done
true
