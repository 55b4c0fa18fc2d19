"""Its place puts this folder on the path, so that tests in subfolders can import the helpers that lie beside it."""
