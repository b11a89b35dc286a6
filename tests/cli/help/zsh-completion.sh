stagetrace help --zsh-completion | sed -n '1,2p; /^\t\tmemory)/,/;;/p' | grep 'compdef\|zsh\|--by\|--columns\|--crate\|--format\|-o\|--symfs\|quiet\|file:' | cut -c 1-110
stagetrace help --zsh-completion | tail -n 8
