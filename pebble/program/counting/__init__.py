"""How a count is verified: legality of the text, a fold over boxes, and the plain machine where the proof stops."""
