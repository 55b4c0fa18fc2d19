"""The commands, one file each. There is no list of them: whatever is here is a request that supervisors can make."""
