stagetrace memory "$DATA/traced-run" --by function --inlines
