# A crate that the history does not have: the nearest one is said, if there is one.
cp -r "$DATA/tiny-run" tiny
stagetrace history add -q tiny >added
stagetrace history show cpu --crate rustc_midle || true
stagetrace history show cpu --crate nothing-like-it || true
stagetrace history show cpu --crate core --part elsewhere
