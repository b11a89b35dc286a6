stagetrace --version
