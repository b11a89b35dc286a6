"""Processes and threads of a recording: who lives when, and where code is mapped in them."""

PAGE_BITS = 12


class Instance:
    """A process from its start to its end: ids are used again."""

    def __init__(self, number, pid, ppid, start, comm):
        self.number, self.pid, self.ppid, self.start, self.end, self.comm = number, pid, ppid, start, None, comm
        self.threads = set()
        self.maps = ()  # (first address, last + 1) of what was mapped since its exec
        self.pages = {}  # whether one is mapped, as far as asked

    def map(self, start, length):
        self.maps += ((start, start + length),)
        self.pages.clear()

    def unmap_all(self):
        self.maps = ()
        self.pages.clear()

    def is_mapped(self, address):
        page = address >> PAGE_BITS
        if page not in self.pages:
            self.pages[page] = any(start <= address < end for start, end in self.maps)
        return self.pages[page]


class Tasks:
    """`on_start(instance, parent)`, `on_exec(instance, time)`, `on_end(instance, time)` are called as it happens."""

    def __init__(self, on_start, on_exec, on_end):
        self.on_start, self.on_exec, self.on_end = on_start, on_exec, on_end
        self.all, self.alive = [], {}

    def find(self, pid, tid, time):
        """The instance of a pid; made up if it has no start event."""
        instance = self.alive.get(pid)
        if instance is None:
            instance = self.start(pid, None, time, None)
            instance.threads.add(tid)
        return instance

    def start(self, pid, ppid, time, parent):
        if pid in self.alive:
            self.end(self.alive[pid], time)
        instance = Instance(len(self.all), pid, ppid, time, parent.comm if parent else "")
        self.all.append(instance)
        self.alive[pid] = instance
        if parent:
            instance.maps = parent.maps
        self.on_start(instance, parent)
        return instance

    def end(self, instance, time):
        instance.end = time
        del self.alive[instance.pid]
        self.on_end(instance, time)

    def event(self, kind, time, *fields):
        if kind == "FORK":
            pid, tid, ppid, _ = fields
            if pid == ppid:
                self.find(pid, tid, time).threads.add(tid)
            else:
                self.start(pid, ppid, time, self.alive.get(ppid)).threads.add(tid)
        elif kind == "EXIT":
            pid, tid, _, _ = fields
            instance = self.find(pid, tid, time)
            instance.threads.discard(tid)
            if not instance.threads:
                self.end(instance, time)
        elif kind == "MAP":
            pid, tid, start, length = fields
            if pid > 0:
                self.find(pid, tid, time).map(start, length)
        else:
            is_exec, name, pid, tid = fields
            instance = self.find(pid, tid, time)
            if tid == pid:
                instance.comm = name
            if is_exec:
                instance.unmap_all()
                self.on_exec(instance, time)
