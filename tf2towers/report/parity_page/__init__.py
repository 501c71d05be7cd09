"""The parts of the page about a parity result: elements, tables, charts, the two scripts side by side."""
