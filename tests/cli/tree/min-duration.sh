# Those that ran for 20 s, and those that started them; of 131 the end is not known.
stagetrace tree "$DATA/tiny-run" --min-duration 20s
stagetrace tree "$DATA/tiny-run" --min-duration 5 --role link --columns image,duration_ns,hidden
stagetrace tree "$DATA/tiny-run" --min-duration 1h --not-process '?' --columns image
