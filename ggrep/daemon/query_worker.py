"""The query process: `python -m ggrep.daemon.query_worker IDLE_MS`.

The process can be killed at any moment: its host then answers the query. The process ends at the
end of standard input, and after some time without a job.
"""

import sys

from ggrep.daemon.sync_worker import stand_apart

if __name__ == "__main__":
    stand_apart()
    from ggrep.daemon.query_work import main

    main(sys.argv[1:])
