# What decides what a build does, and with which settings it was recorded; hashes of files are for `rerun`. Damaged settings are none.
cp -r "$DATA/traced-run" run
sed -i '0,/"host":/s//"build": {"tools": {"cc": "gcc 12.2.0"}, "build": {"jobs": 4}, "files": {"Cargo.lock": "0123"}},\n  "host":/' run/manifest.json
printf '[run]\nname = x\nsource = /src/rust\n[bootstrap]\nrust.debuginfo-level = 1\n[stage2]\nenv.A = b c\n' >run/config.ini
stagetrace system run --format csv -q | grep -E '^(tools|build|files|configuration),' | tr -d '\r'
printf '[bootstrap\nx\377\0 = 1\n' >run/config.ini
stagetrace system run --format csv -q | grep -c '^configuration,' || true
