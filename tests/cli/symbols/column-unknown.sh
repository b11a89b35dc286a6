stagetrace symbols "$DATA/traced-run" --columns module,name
