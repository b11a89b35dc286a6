# A trace is no server, and a directory is none.
stagetrace symbols "$DATA/traced-run" --fetch='C:\Symbols'
