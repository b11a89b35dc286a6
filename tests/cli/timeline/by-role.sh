stagetrace timeline "$DATA/traced-run" --by role --not-role x.py
stagetrace timeline "$DATA/traced-run" --by role --sort cpu --columns role,cpu_ns,cpu_graph,graph --top 2 --time 2s..6s | tail -n 4
