mkdir directory
stagetrace recover directory
