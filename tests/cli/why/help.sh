stagetrace why --help
