# tests/e2e/completion.sh asks zsh and fish themselves.
stagetrace help --fish-completion | grep '__stagetrace_first\|is memory. .*-l \(by\|columns\|crate\|format\|output\|symfs\|quiet\) \|is help.*-f' | cut -c 1-110
