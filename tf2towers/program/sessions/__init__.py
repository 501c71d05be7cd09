"""The session's calls: what each fetches and feeds, and from where its batches come."""
