cat >heap.ini <<INI
[run]
source = rust
[stage2]
command = x
[heap]
crates = rustc_middle
at = 30s, 10s
INI
stagetrace heap heap.ini
