stagetrace help tre
