# What is sound is shown, what is not is counted.
cp -r "$DATA/tiny-run" run
{
	echo "{\"pid\":"
	sed -n 1,2p "$DATA/tiny-run/processes.jsonl"
	echo "{\"pid\":7}"
} >run/processes.jsonl
stagetrace processes run --columns pid,image
