"""Settings, their sources and caps; the untrusted file of a repository; built-in lists."""
