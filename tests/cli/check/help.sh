stagetrace check --help | sed "s|^  [^ ]*configs\$|  FOLDER/configs|"
