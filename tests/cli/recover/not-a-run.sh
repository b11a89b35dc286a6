mkdir folder
stagetrace recover folder
