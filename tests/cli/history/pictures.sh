# A picture and a page, by the name of the file; both are well-formed, and a page loads nothing.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322
stagetrace history add -q nights/* >added
stagetrace history show cpu --crate core -o trend.svg
stagetrace history show cpu --crate core -o trend.html
cat trend.svg
grep -c '<svg' trend.html
! grep -E 'https?://|<script' trend.html | grep -v 'http://www.w3.org/2000/svg'
