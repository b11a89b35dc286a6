printf '[heap]\npid = 17\n' >heap.ini
stagetrace record heap.ini
