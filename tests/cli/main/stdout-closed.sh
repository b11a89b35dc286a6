# Results for which there is no stdout are a failure, and go into no other file.
stagetrace processes "$DATA/tiny-run" >&-
