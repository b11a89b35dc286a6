stagetrace nightly --help | sed "s|^  [^ ]*configs\$|  DIRECTORY/configs|"
