"""Attention on several devices: layouts, exchanges of tiles, their referee, and the schedules that write them."""
