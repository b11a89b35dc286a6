stagetrace heap --skip-stage1 17
