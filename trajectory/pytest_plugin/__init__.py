"""The face of the package towards pytest."""
