stagetrace history check --fail-if 'cpuu > 1s'
