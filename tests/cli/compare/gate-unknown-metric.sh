stagetrace compare base new --fail-if 'peek > +5%'
