stagetrace memory "$DATA/traced-run" --by calls --crate rustc_middle --ignore "*passes::analysis"
