stagetrace processes "$DATA/tiny-run" --columns pid,comand_line
