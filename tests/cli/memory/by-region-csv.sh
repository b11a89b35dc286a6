# What is held between two moments: each kind of flow but one, and a range of which one half was freed early.
stagetrace memory "$DATA/traced-run" --by region --time 1.9..3.7 --top 9 --format csv
