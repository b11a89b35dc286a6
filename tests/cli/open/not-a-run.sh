mkdir empty
stagetrace open empty
