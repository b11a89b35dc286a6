cat >my.stacktags <<'XML'
<Tag Name="">
  <Tag Name="types" Priority="1"><Entrypoint Module="rustc_driver-*.dll" Method="*hir_typeck*"/></Tag>
  <Tag Name="system"><Entrypoint Module="[kernel*"/></Tag>
</Tag>
XML
stagetrace export "$DATA/traced-run" --root phase --stack-tags my.stacktags --format folded
