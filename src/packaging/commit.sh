#!/bin/sh
# Print the commit that this tree is built from: git's in a checkout (with "-dirty" if files were changed), that
# in the file src/packaging/commit if git archive or `make deb` has written it, else "unknown".
cd "$(dirname "$0")/../.." || exit 1
commit=
if [ -e .git ]; then
	commit=$(git describe --always --dirty --exclude='*' 2>/dev/null)
else
	read -r commit <src/packaging/commit
fi
case $commit in
'' | *[!0-9a-z-]*) echo unknown ;;
*) echo "$commit" ;;
esac
