cp "$DATA/etl/smallEtlFile.etl" a.etl
cp "$DATA/etl/smallEtlFile.etl" b.etl
stagetrace system a.etl b.etl
