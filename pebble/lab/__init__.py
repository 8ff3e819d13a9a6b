"""What people ask for: count, show, plan, regimes, sweep, plots, player, hardware."""
