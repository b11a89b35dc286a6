# CPU time that grows with the time of the run, on both sides alike, and CPU time with two levels on both: warnings. None of those who
# neither drift nor jump, nor of a change of one side.
compare() {
	stagetrace compare "$@" --metric cpu --min-effect 0,0,0 2>&1 >out | grep -E 'drifts|two levels' || echo "neither"
}
slower() { "$DATA/../tools/make-runs.sh" "$DATA" "$@"; }
slower drift 30000 31500 33000 34500 36000 37500 39000 40500 42000 43500 45000 46500
compare drift/*0[13579]T* drift/*11T* -- drift/*0[2468]T* drift/*1[02]T*
slower levels 30000 30100 45000 30050 30080 45100 45050 30020 30060 45020 30090 30010
compare levels/*0[1-6]T* -- levels/*0[7-9]T* levels/*1[0-2]T*
slower equal 30000 30100 30020 30050 30080 30010 30050 30020 30060 30020 30090 30010
compare equal/*0[1-6]T* -- equal/*0[7-9]T* equal/*1[0-2]T*
slower changed 30000 30100 30020 30050 30080 30010 45050 45020 45060 45020 45090 45010
compare changed/*0[1-6]T* -- changed/*0[7-9]T* changed/*1[0-2]T*
