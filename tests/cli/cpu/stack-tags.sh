cat >my.stacktags <<'XML'
<Tag Name="">
  <Tag Name="types" Priority="1"><Entrypoint Module="rustc_driver-*.dll" Method="*hir_typeck*"/></Tag>
  <Tag Name="system"><Entrypoint Module="[kernel*"/></Tag>
</Tag>
XML
stagetrace cpu "$DATA/traced-run" --by phase --stack-tags my.stacktags --mangled --format csv
