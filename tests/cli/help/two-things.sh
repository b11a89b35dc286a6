stagetrace help --man tree
