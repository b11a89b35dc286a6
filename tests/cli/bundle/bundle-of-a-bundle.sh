echo nothing >file
stagetrace bundle file
