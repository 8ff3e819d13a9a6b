"""What every room uses: errors, units, numbers as people write them, tables, files."""
