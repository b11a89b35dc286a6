stagetrace processes "$DATA/tiny-run" --role 'rust*' --columns pid,role
