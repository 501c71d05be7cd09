"""The little a migrated script imports, on public TF API."""
