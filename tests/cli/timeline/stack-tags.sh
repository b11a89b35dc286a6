# The phases of one's own rules, as `cpu` has them; without phases they are refused, as a directory that is none.
cat >my.stacktags <<'XML'
<Tag Name="">
  <Tag Name="types" Priority="1"><Entrypoint Module="rustc_driver-*.dll" Method="*hir_typeck*"/></Tag>
  <Tag Name="system"><Entrypoint Module="[kernel*"/></Tag>
</Tag>
XML
stagetrace timeline "$DATA/traced-run" --by phase --stack-tags my.stacktags --every 5s --format csv -q
stagetrace cpu "$DATA/traced-run" --by phase --stack-tags my.stacktags --format csv --columns phase,self_ns -q
stagetrace timeline "$DATA/traced-run" --by query --stack-tags my.stacktags 2>&1 || echo "exit code $?"
stagetrace timeline "$DATA/traced-run" --format svg --stack-tags my.stacktags 2>&1 || echo "exit code $?"
stagetrace timeline "$DATA/traced-run" --by phase --stack-tags none.stacktags 2>&1 || echo "exit code $?"
stagetrace timeline "$DATA/traced-run" --by phase --symfs my.stacktags 2>&1 || echo "exit code $?"
