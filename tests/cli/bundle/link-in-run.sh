# What a link in a run leads to is not packed.
say() {
	"$@" 2>&1 | sed "s|$PWD/||g"
	return "${PIPESTATUS[0]}"
}
cp -r "$DATA/tiny-run" run
echo secret >victim
mkdir -p run/logs
ln -s "$PWD/victim" run/logs/added.log
say stagetrace bundle run && echo packed
rm run/logs/added.log
mkfifo run/logs/added.log
say timeout 600 stagetrace bundle run && echo packed
rm -r run/logs
mkdir elsewhere
cp victim elsewhere/added.log
ln -s ../elsewhere run/logs
say stagetrace bundle run && echo packed
ls
