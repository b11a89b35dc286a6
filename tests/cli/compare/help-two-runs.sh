# No example compares a run with itself.
stagetrace compare --help | grep -o '^  stagetrace compare [^ ]* [^ ]*' | awk '$3 == $4 { print "with itself: " $0; exit 1 }'
