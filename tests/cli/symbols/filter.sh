stagetrace symbols "$DATA/traced-run" --role link --columns names,samples,module
