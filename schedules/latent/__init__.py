"""Schedules of attention whose values are part of its keys (multi-head latent attention)."""
