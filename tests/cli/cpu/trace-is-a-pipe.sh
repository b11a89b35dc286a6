mkfifo pipe
timeout 10 stagetrace cpu pipe
