cat >bad.ini <<'INI'
[run]
sorce = ../rust
[stage2]
comand = x
[record]
recorder = pref
cpu = perhaps
INI
stagetrace record bad.ini
