echo text >notes.txt
stagetrace open notes.txt
