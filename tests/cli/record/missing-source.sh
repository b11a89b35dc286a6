cat >test.ini <<'INI'
[run]
source = nowhere
[stage1]
command = no-such-program build
[stage2]
command = sh x.py
[record]
recorder = none
min-free-disk = 0
INI
stagetrace record test.ini
