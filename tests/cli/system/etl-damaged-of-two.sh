cp "$DATA/etl/SIH.etl" a.etl
{
	cat "$DATA/etl/SIH.etl"
	printf 'no buffer %.0s' {1..20}
} >b.etl
stagetrace system a.etl b.etl | grep damaged
