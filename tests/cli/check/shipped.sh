# A configuration of the name in the working directory comes first.
printf '[run]\nsorce = .\n' >cpu.ini
stagetrace check cpu.ini || echo "exit $?"
mkdir empty
stagetrace check empty/cpu.ini || echo "exit $?"
stagetrace check memory.ini --set run.sorce=.
