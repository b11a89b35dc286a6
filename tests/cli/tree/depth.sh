stagetrace tree "$DATA/tiny-run" --depth 3
stagetrace tree "$DATA/tiny-run" --depth 2 --role link --columns pid,image,depth,matched,hidden
stagetrace tree "$DATA/tiny-run" --depth 1 --format csv --columns pid,image,hidden
