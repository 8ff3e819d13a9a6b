"""Schedules of attention whose keys have rotary words that all heads share."""
