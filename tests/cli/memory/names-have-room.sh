# On narrow lines names of functions keep room: PEAK and SIZE give way, unless columns or an order were asked for.
COLUMNS=80 stagetrace memory "$DATA/traced-run" --by function --top 2 | tail -n 4
COLUMNS=80 stagetrace memory "$DATA/traced-run" --by process,function --top 2 | tail -n 4
COLUMNS=80 stagetrace memory "$DATA/traced-run" --by process,function --top 2 --sort size_bytes | tail -n 4
stagetrace memory "$DATA/traced-run" --by process,function --top 2 --wide | tail -n 4
COLUMNS=80 stagetrace memory "$DATA/traced-run" --by crate --top 2 | tail -n 4
