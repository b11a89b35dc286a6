echo 'a 1' | stagetrace export - --crate core
