# Calls whose header has no ids: the process is that of their stack, also where no stacks are needed.
stagetrace memory -q "$DATA/heap-calls-short.etl" --of heap --by process --format csv --columns pid,image,size_bytes,count
