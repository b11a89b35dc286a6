stagetrace heap --help | sed "s|^  [^ ]*configs\$|  FOLDER/configs|"
