stagetrace bundle nowhere -o out.zip
