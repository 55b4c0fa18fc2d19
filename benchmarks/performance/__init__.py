"""What a frame costs, part by part and against others: `make bench` writes results.json and docs/performance.md."""
