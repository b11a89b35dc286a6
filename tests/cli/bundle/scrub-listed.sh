# The names of the host and of the user in the manifest are replaced, and listed there too.
cp -r "$DATA/tiny-run" run
sed -i 's/"hostname": "[^"]*"/"hostname": "vm", "user": "bo", "home": "\/home\/bo"/' run/manifest.json
stagetrace bundle run --scrub -o public.zip | sed 's/^public.zip, .*/public.zip/'
unzip -p public.zip '*/manifest.json' | grep -A 12 '"removed"'
unzip -p public.zip '*/manifest.json' | grep '"hostname"\|"user"\|"home"'
