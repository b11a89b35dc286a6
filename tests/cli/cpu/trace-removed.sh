cp -r "$DATA/tiny-run" run
chmod -R u+w run
sed -i 's|"files": \[\]|"files": [{"path": "trace.perf.data", "size": 1}]|' run/manifest.json
stagetrace cpu run
