stagetrace export "$DATA/traced-run" --function "*hir_typeck*" --not-module "libc*"
