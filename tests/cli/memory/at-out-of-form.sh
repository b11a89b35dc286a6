for at in 1m99s 1s1m 1m1m; do
	stagetrace memory "$DATA/traced-run" --at $at && exit 1
	stagetrace memory "$DATA/traced-run" --time $at.. && exit 1
done 2>&1
true
