mkdir rust
touch rust/x.py
cat >test.ini <<'INI'
[run]
source = rust
[stage1]
command = sh x.py
[stage2]
command = sh x.py
[record]
recorder = none
min-free-disk = 0
[bundle]
wpa-profile = nowhere.wpaProfile
INI
stagetrace check test.ini | sed -n '/nowhere/,/do:/p'
