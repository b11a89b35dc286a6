# WPA would follow a link to any file.
cp -r "$DATA/tiny-run" run
echo secret >victim
ln -s ../victim run/trace.etl
STAGETRACE_WPA=/bin/echo stagetrace open run 2>err || sed "s|$PWD/||g" err
