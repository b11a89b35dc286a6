stagetrace processes "$DATA/tiny-run" --columns role,pid,exit_code,cwd,argv
