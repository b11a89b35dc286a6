stagetrace record --help | sed "s|^  [^ ]*configs\$|  DIRECTORY/configs|"
