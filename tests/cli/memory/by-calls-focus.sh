stagetrace memory "$DATA/traced-run" --by calls --at own-peak --focus "*check_expr*" --plumbing --full-names --format json
