stagetrace symbols "$DATA/traced-run" --symfs nowhere
