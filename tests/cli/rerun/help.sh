stagetrace rerun --help
