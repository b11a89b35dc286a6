cp -r "$DATA/tiny-run" 'a run'
echo none >'a run/trace.etl'
echo '@echo off' >'a run/open.cmd'
stagetrace open 'a run'
