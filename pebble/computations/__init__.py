"""What is computed: problems, families of arrays of vertices, masks, classic DAGs."""
