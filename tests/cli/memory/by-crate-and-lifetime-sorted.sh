# Each crate has its histogram.
stagetrace memory "$DATA/traced-run" --by crate,lifetime --sort crate -q
