stagetrace open nowhere
