"""Expressions rewritten where they stand: symbols, calls, shapes, messages."""
