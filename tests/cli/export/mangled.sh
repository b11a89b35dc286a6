stagetrace export "$DATA/traced-run" --mangled --role link --metric cpu
