echo '<Tag Name=""><Tag Name="a"><Entrypoint/></Tag></Tag>' >my.stacktags
stagetrace cpu "$DATA/traced-run" --by phase --stack-tags my.stacktags
