mkdir rust
touch rust/x.py
cat >test.ini <<'INI'
[run]
source = rust
[stage1]
command = sh x.py
[stage2]
command = sh x.py
INI
stagetrace check --set record.recorder=wpr test.ini
