stagetrace help | sed "s|^  [^ ]*configs\$|  FOLDER/configs|"
