stagetrace heap 17 --set heap.snapshots=0 --set heap.recipe=snapshot --set heap.image=rustc
