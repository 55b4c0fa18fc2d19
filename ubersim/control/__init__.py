"""Controllers that programs, studies and tests share."""
