"""Time in whole frames: latency models, the queue that delays, and the rule of the lockstep. No clock, no I/O."""
