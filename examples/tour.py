"""The tour of the README: a schedule, a bound, an optimum and a game in ten lines."""

# %%
import pebble

problem = pebble.Problem.square(N=4096, d=64)  # softmax(QKᵀ)V with 4096 queries and keys, head dimension 64
report = pebble.count(problem, M=25_000, schedules=["naive", "flash-1", "flash-2"])
for row in report.rows:
    print(f"{row.name:8} moves {row.io:>13,} words, {row.ratio:6.2f} times the lower bound")

tiny = pebble.load_dag("attention:N=2,d=1")  # every multiplication, addition, exp and division by itself
print(pebble.optimal(tiny, M=5))
