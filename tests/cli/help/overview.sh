stagetrace help | sed "s|^  [^ ]*configs\$|  DIRECTORY/configs|"
