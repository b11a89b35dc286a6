stagetrace cpu "$DATA/traced-run" --columns image,slef_ns
