stagetrace cpu "$DATA/traced-run" --by module --sort total_ns:asc --columns total_ns,module
