printf 'a 1\na;b 2\na;b;c 1\na;d 1\na;e;f 1\ng 2\nh 1\n' >in
echo "-- all"
stagetrace export - <in
echo "-- 30 %"
stagetrace export - --min-share 30 <in
echo "-- 30 % as a graph"
stagetrace export - --min-share 30% --format svg <in | grep -o '\[other\][^<]*'
for wrong in x -1 101 5x ''; do
	stagetrace export - --min-share "$wrong" <in || echo "exit $?"
done
