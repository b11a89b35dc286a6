# To be run again on Windows: only what needs quotes has them, and those of Windows.
cp -r "$DATA/tiny-run" run
sed -i -E '/"pid":(101|102),/d; /"pid":130,/s/"argv":\["[^"]*"/&,"C:\\\\a b\\\\","say \\"x\\"",""/' run/processes.jsonl
stagetrace processes run --process 130 --columns windows_command_line --format csv --top 1
stagetrace processes run --process 130 --columns windows_command_line --format json --top 1
