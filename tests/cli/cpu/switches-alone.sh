# Context switches without CPU samples: exact times, where keys are not found by stacks.
change() {
	python3 - "$@" <<'END'
import re, sys
data, names = open(sys.argv[1], "rb").read(), {"samples": rb"\x2e\x0f", "switches": rb"\x24\x05"}
for what, to in zip(sys.argv[3::2], sys.argv[4::2]):
    data = re.sub(rb"([\x02\x03]\x00\x11\xc0..)" + names[what], rb"\g<1>" + bytes.fromhex(to), data, flags=re.S)
open(sys.argv[2], "wb").write(data)
END
}
python3 "$ROOT/tests/tools/check-switches.py" make 1 none both.etl
change both.etl switches.etl samples 0011
change both.etl compact.etl switches 2505
change both.etl neither.etl samples 0011 switches 2505
stagetrace cpu both.etl --by process --top 2
stagetrace cpu switches.etl --by process
stagetrace cpu switches.etl --by thread --top 2 --format csv
stagetrace cpu switches.etl --by process --columns pid,exact_cpu_ns -q >exact
stagetrace cpu both.etl --by process --columns pid,exact_cpu_ns --sort exact_cpu_ns -q | diff <(sed 1,/^$/d exact) <(sed 1,/^$/d)
# Nothing matches; keys by stacks; compact switches, beside samples and alone.
stagetrace cpu switches.etl --process 7 2>&1
stagetrace cpu switches.etl --by function 2>&1 && exit 1
stagetrace cpu compact.etl --by process --top 1 2>&1
stagetrace cpu neither.etl 2>&1 && exit 1
true
