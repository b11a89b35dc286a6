stagetrace memory nowhere
