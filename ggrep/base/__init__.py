"""The foundation that every module uses: errors, time, durable files, locks, the writer queue."""
