#include "model/trace_event.h"

const struct trace_event trace_event_none = { .cpu = -1 };
