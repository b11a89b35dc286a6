stagetrace export "$DATA/traced-run" >one
stagetrace export - <one >two
cmp one two
