"""What every module stands on: errors, time, durable files, locks, one writer."""
