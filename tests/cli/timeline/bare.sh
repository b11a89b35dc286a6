# What the processes of a bare trace do is not known: nobody says when none of them worked.
stagetrace timeline "$DATA/touched.perf.data" --of touched --every 5ms
stagetrace timeline "$DATA/touched.perf.data" --every 5ms --format csv --columns time_ns,working,alone_ns,idle_ns
