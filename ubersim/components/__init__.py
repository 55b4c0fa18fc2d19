"""Everything that robot and world files are made of: one file per component, one package per family."""
