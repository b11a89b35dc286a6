echo none >trace.etl
stagetrace open trace.etl
