stagetrace history list --db 'postgresql://user:sec%ret@host/x'
