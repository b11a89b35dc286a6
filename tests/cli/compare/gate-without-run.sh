stagetrace compare base "$DATA/traced-run" --fail-if 'peak > +5%'
