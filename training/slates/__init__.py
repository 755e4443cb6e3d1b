"""What slates show of what they should: a suite of questions, and figures of the answers."""
