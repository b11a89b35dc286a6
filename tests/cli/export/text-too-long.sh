# Stacks of one frame with a long name.
make() {
	python3 -c '
import sys
name = "a" * 15_000_000
for i in range(75):
    sys.stdout.write("%s;%d 1\n" % (name, i))'
}
make | stagetrace export - --min-share 0 || echo "exit $?"
make | stagetrace export - --min-share 0 --yes >/dev/null && echo "written"
