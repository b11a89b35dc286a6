stagetrace check --help | sed "s|^  [^ ]*configs\$|  DIRECTORY/configs|"
