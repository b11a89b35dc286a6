# There is none: said, and none is made; check cannot decide.
status=0
stagetrace history check || status=$?
echo "$status"
[ ! -e runs ]
stagetrace history list
