"""Answers as text for people and as JSON, from domain values alone, always sanitised."""
