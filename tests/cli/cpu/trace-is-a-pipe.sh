mkfifo pipe
timeout 600 stagetrace cpu pipe
