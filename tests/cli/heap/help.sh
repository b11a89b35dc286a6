stagetrace heap --help | sed "s|^  [^ ]*configs\$|  DIRECTORY/configs|"
