stagetrace record --help | sed "s|^  [^ ]*configs\$|  FOLDER/configs|"
