"""The accounting of design.md, done again slowly: what the program's answers are held against."""
