stagetrace --verbose processes
