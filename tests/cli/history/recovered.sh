# A run that was added as failed is added anew once `recover` has finished it, and once only; its results are not doubled.
cp -r "$DATA/tiny-run" run
sed -i 's/"state": "done"/"state": "failed"/' run/manifest.json
stagetrace history add -q run
stagetrace history add -q run
stagetrace history list --columns run,state
cp "$DATA/tiny-run/manifest.json" run
stagetrace history add -q run
stagetrace history add -q run
stagetrace history list --columns run,state
stagetrace history export | wc -l
# One that failed does not replace one that did not.
sed -i 's/"state": "done"/"state": "failed"/' run/manifest.json
stagetrace history add -q run
stagetrace history list --columns run,state
