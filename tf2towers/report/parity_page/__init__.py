"""The parts of the page about a parity result: sentences, tables, charts, the two scripts side by side."""
