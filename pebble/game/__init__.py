"""The elementary red-blue pebble game: rules, moves, board, referee, replay."""
