stagetrace bundle nowhere --symbols some
