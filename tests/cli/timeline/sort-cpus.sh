# By processors in use, not by CPU time: the last step is shorter.
stagetrace timeline "$DATA/traced-run" --every 1s --time 1s..3.3s --sort cpus:asc -q | sed '1,/^$/d'
stagetrace timeline "$DATA/traced-run" --every 1s --time 1s..3.3s --sort cpus --format csv --columns time_ns,cpu_ns,cpus -q
