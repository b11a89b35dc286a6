# Of a bare trace whose memory and CPU time are not known, steps have nothing but their times.
python3 "$ROOT/tests/tools/make-heap-etl.py" --no-virtual trace.etl
stagetrace timeline trace.etl --every 500ms
stagetrace timeline trace.etl --by role -q
