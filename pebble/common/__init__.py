"""What every package uses: errors, units, numbers as people write them, tables, files."""
