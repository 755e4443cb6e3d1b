"""Sabotages of the wire, the daemon and its clients; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

FRAMES = "tests/wire/test_frames.py::"
HANDSHAKE = "tests/wire/test_handshake.py::"
CONNECTION = "tests/wire/test_connection.py::"
GREETING = "tests/daemon/test_handshake_over_the_wire.py::"
DEADLINES = "tests/daemon/test_deadlines.py::"
ADMISSION = "tests/qos/test_admission.py::"
QUEUE = "tests/qos/test_fair_queue.py::"
HINTS = "tests/daemon/test_hints.py::"
STALE = "tests/daemon/test_stale.py::"
SERVING = "tests/daemon/test_serving.py::"
SCHEDULE = "tests/daemon/test_sync_schedule.py::"
LOOP = "tests/daemon/test_sync_loop.py::"
WORKER = "tests/daemon/test_sync_process.py::test_cancelling_kills_the_worker_and_its_children"
QUERY_WORKER = "tests/daemon/test_query_process.py::"
ENDPOINT = "tests/daemon/test_endpoint.py::"
LEFTOVERS = "tests/daemon/test_endpoint.py::"
LOCKS = "tests/daemon/test_daemon_locks.py::"
RECEPTION = "tests/daemon/test_reception.py::"
WATCHING = "tests/daemon/test_watching.py::"
LIFECYCLE = "tests/daemon/test_lifecycle.py::"
REACHING = "tests/client/test_reaching.py::"
STOPPING = "tests/client/test_stopping.py::"
CLIENT = "tests/client/test_asking.py::"
SCORES = "tests/query/test_scores.py::"
FAST = "tests/entry/test_fast.py::"
CHOICE = "tests/cli/test_asking.py::"
PYTHON = "tests/public/test_repository.py::"
OPTIONS = "tests/public/test_requests.py::"
EVENTS = "tests/daemon/test_watched_root.py::test_what_cannot_is_dropped"

DAEMON_SABOTAGES = (
    # The wire.
    Sabotage(
        "a frame may be of any length",
        "ggrep/protocol/wire/frames.py",
        "_fault_of(self._size, self._cap_bytes)",
        "_fault_of(min(self._size, 1), 1)",
        (FRAMES + "test_a_broken_reader_stays_broken",),
    ),
    Sabotage(
        "lengths are written with the least byte first",
        "ggrep/protocol/wire/frames.py",
        'return len(payload).to_bytes(PREFIX_BYTES, "big") + payload',
        'return len(payload).to_bytes(PREFIX_BYTES, "little") + payload',
        (FRAMES + "test_a_frame_is_its_length_in_four_bytes_and_its_payload",),
    ),
    Sabotage(
        "lengths are read with the least byte first",
        "ggrep/protocol/wire/frames.py",
        'int.from_bytes(self._prefix, "big")',
        'int.from_bytes(self._prefix, "little")',
        (FRAMES + "test_a_frame_of_exactly_the_cap_is_taken",),
    ),
    Sabotage(
        "an empty frame is one",
        "ggrep/protocol/wire/frames.py",
        'return "" if size else',
        'return "" if size >= 0 else',
        (FRAMES + "test_a_bad_prefix_loses_nothing_that_was_whole_before_it",),
    ),
    Sabotage(
        "a daemon answers for another configuration",
        "ggrep/protocol/wire/handshake.py",
        '_check_same("config_fingerprint", hello.config_fingerprint, offer.config_fingerprint)',
        "assert hello",
        (HANDSHAKE + "test_mismatches_are_told_in_the_contracts_order",),
    ),
    Sabotage(
        "a daemon answers for another store",
        "ggrep/protocol/wire/handshake.py",
        '    _check_same("store_id", hello.store_id, offer.store_id)\n',
        "",
        (HANDSHAKE + "test_mismatches_are_told_in_the_contracts_order",),
    ),
    Sabotage(
        "protocols are compared before the configuration",
        "ggrep/protocol/wire/handshake.py",
        '    _check_same("store_id", hello.store_id, offer.store_id)\n',
        "    if not set(hello.protocol_versions) & set(offer.protocol_versions):\n"
        '        raise Incompatible("protocol_versions")\n'
        '    _check_same("store_id", hello.store_id, offer.store_id)\n',
        (HANDSHAKE + "test_mismatches_are_told_in_the_contracts_order",),
    ),
    Sabotage(
        "the lowest common protocol is spoken",
        "ggrep/protocol/wire/handshake.py",
        "protocol_version=max(common)",
        "protocol_version=min(common)",
        (HANDSHAKE + "test_the_highest_common_protocol_is_chosen",),
    ),
    Sabotage(
        "a client speaks any common protocol",
        "ggrep/protocol/wire/handshake.py",
        "if not common or welcome.protocol_version != max(common):",
        "if not common:",
        (HANDSHAKE + "test_a_client_of_two_protocols_does_not_take_the_lower_one",),
    ),
    Sabotage(
        "a client that was refused may go on",
        "ggrep/protocol/wire/connection.py",
        "{Step.WELCOME: State.OPEN, Step.REFUSAL: State.CLOSED, **_END}",
        "{Step.WELCOME: State.OPEN, Step.REFUSAL: State.OPEN, **_END}",
        (
            CONNECTION + "test_another_store_is_refused_and_nothing_behind_the_hello_is_taken",
            GREETING + "test_another_store_or_configuration_is_refused",
        ),
    ),
    Sabotage(
        "what came before a bad length is not taken",
        "ggrep/protocol/wire/connection.py",
        "        if self._payloads:\n            return self._event(self._payloads.popleft())\n"
        "        if self._reader.fault:\n",
        "        if self._payloads and not self._reader.fault:\n"
        "            return self._event(self._payloads.popleft())\n"
        "        if self._reader.fault:\n",
        (
            CONNECTION + "test_what_came_before_a_bad_length_is_taken_first_and_answered_last",
            CONNECTION + "test_a_daemon_sees_the_same_however_bytes_are_cut",
        ),
    ),
    Sabotage(
        "a figure of a message has no bounds",
        "ggrep/protocol/wire/reading.py",
        "            fits = rule.bounds.least <= value <= rule.bounds.most\n",
        "            fits = rule.bounds.least <= value\n",
        ("tests/wire/test_messages.py::test_what_is_wrong_is_named_with_its_value",),
    ),
    Sabotage(
        "an unknown message is a ping",
        "ggrep/protocol/wire/messages.py",
        '        raise misfit("message", name, f"one of {\', \'.join(sorted(KINDS))}")\n',
        '        name = "ping"\n',
        (
            "tests/daemon/test_frames_over_the_wire.py"
            "::test_a_message_that_does_not_fit_is_refused_under_its_own_id",
        ),
    ),
    Sabotage(
        "a frame may drip without end",
        "ggrep/daemon/session.py",
        "                with anyio.fail_after(FRAME_S):\n",
        "                with anyio.fail_after(None):\n",
        (
            "tests/daemon/test_frames_over_the_wire.py"
            "::test_a_frame_that_stays_unfinished_ends_the_connection_and_holds_no_place",
        ),
    ),
    Sabotage(
        "an answer may be of any size",
        "ggrep/protocol/wire/connection.py",
        "frame(stable_json.dumps(document), cap_bytes=self._most_sent)",
        "frame(stable_json.dumps(document), cap_bytes=1 << 31)",
        (LIFECYCLE + "test_an_answer_that_is_too_large_is_refused_with_the_way_out",),
    ),
    # Requests and their ends.
    Sabotage(
        "two requests of a client may have one id",
        "ggrep/daemon/admitting.py",
        "    if key in daemon.requests:\n",
        "    if key == daemon.requests:\n",
        (DEADLINES + "test_an_id_that_is_at_work_is_not_taken_twice",),
    ),
    Sabotage(
        "anybody may end anybody's request",
        "ggrep/daemon/handlers.py",
        "daemon.requests.get((caller.owner, message.target))",
        "next((one for key, one in daemon.requests.items() if key[1] == message.target), None)",
        (DEADLINES + "test_nobody_ends_what_another_client_asked",),
    ),
    Sabotage(
        "those without a name are one client",
        "ggrep/daemon/session.py",
        'owner = self._client or f"connection {id(self)}"',
        "owner = self._client",
        (DEADLINES + "test_those_without_a_name_do_not_end_each_others_requests",),
    ),
    Sabotage(
        "work goes on for a client that went away",
        "ggrep/daemon/session.py",
        'stop.set("the client went away")',
        "assert stop",
        (DEADLINES + "test_who_goes_away_is_worked_for_no_more",),
    ),
    Sabotage(
        "work does not look whether it was ended",
        "ggrep/daemon/admitting.py",
        "Deadline.after(daemon.shared.clock, wanted_ms, self.stop)",
        "Deadline.after(daemon.shared.clock, wanted_ms)",
        (DEADLINES + "test_another_connection_of_the_same_client_ends_a_request",),
    ),
    # Quality of service.
    Sabotage(
        "a permit granted to a task that is cancelled is lost",
        "ggrep/daemon/qos/permits.py",
        "            if waiter.granted:\n                self.give_back(client)\n",
        "            if waiter.granted:\n                pass\n",
        (ADMISSION + "test_a_permit_granted_in_the_tick_of_the_cancellation_goes_on",),
    ),
    Sabotage(
        "one client may hold every permit",
        "ggrep/daemon/qos/permits.py",
        "return self._held[client] < self.per_client",
        "return self._held[client] < self.total",
        (ADMISSION + "test_a_clients_share_runs_and_more_of_it_waits",),
    ),
    Sabotage(
        "the queue has no bound",
        "ggrep/daemon/qos/admission.py",
        "        if waiting >= self._limits.max_queue_depth:\n",
        "        if waiting < 0:\n",
        (ADMISSION + "test_a_full_queue_is_busy_at_once",),
    ),
    Sabotage(
        "one client may fill the queue",
        "ggrep/daemon/qos/admission.py",
        "        if mine >= self._limits.max_queued_per_client:\n",
        "        if mine < 0:\n",
        (ADMISSION + "test_one_client_holds_at_most_half_of_the_queue_and_a_place_in_any_case",),
    ),
    Sabotage(
        "both lanes weigh the same",
        "ggrep/base/fair_queue.py",
        "{Lane.INTERACTIVE: 4, Lane.BATCH: 1}",
        "{Lane.INTERACTIVE: 1, Lane.BATCH: 1}",
        (QUEUE + "test_backlogged_lanes_share_four_to_one",),
    ),
    Sabotage(
        "a flow that leaves the queue owes nothing",
        "ggrep/base/fair_queue.py",
        "start = max(self._now, self._owing.pop(flow, 0))",
        "start = self._now",
        (QUEUE + "test_asking_one_at_a_time_is_no_way_around_the_weight",),
    ),
    Sabotage(
        "busy says when to come again whatever the load",
        "ggrep/daemon/qos/admission.py",
        "rounds = (self._permits.waiting + 1) / self._limits.max_concurrent",
        "rounds = 1.0",
        (ADMISSION + "test_the_retry_hint_follows_the_load",),
    ),
    Sabotage(
        "who waits for a place waits without end",
        "ggrep/daemon/qos/permits.py",
        "        deadline.check(stage)\n        patience_ms = min(deadline.remaining_ms(), ",
        "        patience_ms = max(1.0, ",
        (ADMISSION + "test_a_query_that_waits_too_long_times_out_and_is_counted",),
    ),
    Sabotage(
        "a failed query keeps its handles",
        "ggrep/daemon/qos/permits.py",
        "        finally:\n            with self._guard:\n",
        "        except LookupError:\n            raise\n"
        "        else:\n            with self._guard:\n",
        ("tests/qos/test_handles.py::test_a_failed_query_gives_its_handles_back",),
    ),
    Sabotage(
        "in company one client takes every core",
        "ggrep/daemon/qos/permits.py",
        "alone = len(self._seen) == 1",
        "alone = bool(self._seen)",
        ("tests/qos/test_cpu.py::test_in_company_a_client_leaves_a_core_free",),
    ),
    Sabotage(
        "an encode slot is kept",
        "ggrep/index/embedding/encode_slots.py",
        "            held.release()\n",
        "            held.beat()\n",
        (
            "tests/qos/test_encode_slots.py"
            "::test_each_lane_has_a_slot_of_its_own_and_shares_the_rest",
        ),
    ),
    Sabotage(
        "a slot file that was replaced is a slot",
        "ggrep/index/embedding/slot_file.py",
        "if os.path.samestat(os.fstat(descriptor), self._file.stat()):",
        "if self._file.stat():",
        (
            "tests/qos/test_slot_file.py"
            "::test_who_locked_a_file_that_was_replaced_meanwhile_has_no_slot",
        ),
    ),
    # What a hint claims.
    Sabotage(
        "a client of any build is believed",
        "ggrep/daemon/queries.py",
        "    if claim.build != shared.build:\n",
        "    if not shared.build:\n",
        (HINTS + "test_another_build_another_root_and_other_variables_are_not",),
    ),
    Sabotage(
        "a client of any root is believed",
        "ggrep/daemon/queries.py",
        "    if claim.root != str(daemon.identity.root):\n",
        "    if not claim.root:\n",
        (HINTS + "test_another_build_another_root_and_other_variables_are_not",),
    ),
    Sabotage(
        "a client's variables do not matter",
        "ggrep/daemon/queries.py",
        'raise StaleHint("the client\'s variables are not those of the daemon")',
        "assert shared",
        (HINTS + "test_another_build_another_root_and_other_variables_are_not",),
    ),
    Sabotage(
        "of a client's variables only the names are compared",
        "ggrep/daemon/queries.py",
        "return {name: value for name, value in environ",
        "return {name: name for name, value in environ",
        (HINTS + "test_another_build_another_root_and_other_variables_are_not",),
    ),
    Sabotage(
        "a claim is judged by the settings as they were read",
        "ggrep/daemon/watched_root.py",
        "        return self.present() == self.files\n",
        "        return bool(self.present())\n",
        (HINTS + "test_settings_that_were_edited_are_noticed_before_the_daemon_reloads",),
    ),
    Sabotage(
        "every directory below a root belongs to it",
        "ggrep/daemon/queries.py",
        "    if not await to_thread.run_sync(_are_inside, daemon, scopes):\n",
        "    if scopes == _are_inside:\n",
        (
            HINTS + "test_a_directory_that_is_gone_is_not_searched",
            HINTS + "test_a_repository_within_is_a_root_of_its_own",
        ),
    ),
    # A daemon whose settings are out of date.
    Sabotage(
        "answers of a stale daemon do not say so",
        "ggrep/daemon/queries.py",
        "if daemon.stale else ()",
        "if daemon is None else ()",
        (STALE + "test_answers_are_those_of_the_last_good_snapshot_with_a_warning",),
    ),
    Sabotage(
        "a stale daemon syncs when it is asked to",
        "ggrep/daemon/sync_loop.py",
        "        if self._frozen:\n            raise self._refusal()\n",
        "",
        (LOOP + "test_a_frozen_loop_begins_nothing_until_it_thaws",),
    ),
    Sabotage(
        "a stale daemon syncs when something changes",
        "ggrep/daemon/sync_loop.py",
        "            if self._frozen:\n",
        "            if not self:\n",
        (LOOP + "test_a_frozen_loop_begins_nothing_until_it_thaws",),
    ),
    Sabotage(
        "a sync begins while git is at work",
        "ggrep/daemon/sync_loop.py",
        "            elif self._schedule.git_at_work:\n",
        "            elif not self:\n",
        (LOOP + "test_no_sync_begins_while_git_is_at_work",),
    ),
    Sabotage(
        "what git moved while it was read is published",
        "ggrep/index/sync/one_state.py",
        "        raise TreeMoved(again)\n",
        "        return replace(found, look=again.look)\n",
        ("tests/sync/test_one_state.py::test_portions_before_a_checkout_and_after_it_do_not_mix",),
    ),
    Sabotage(
        "a stale daemon compacts",
        "ggrep/daemon/handlers.py",
        "    if daemon.stale:\n        why =",
        "    if daemon is None:\n        why =",
        (STALE + "test_nothing_is_written",),
    ),
    Sabotage(
        "a sync that runs goes on when a daemon becomes stale",
        "ggrep/daemon/sync_loop.py",
        "        self.cancel(self._frozen)\n",
        "",
        (STALE + "test_a_sync_that_runs_is_ended",),
    ),
    Sabotage(
        "settings are taken in while they are still being written",
        "ggrep/daemon/daemon_tasks.py",
        "        if self._now_ms() - self._since_ms < self._patience_ms:\n",
        "        if self._patience_ms < 0:\n",
        ("tests/daemon/test_config_watch.py::test_a_change_is_taken_in_once_it_has_lasted",),
    ),
    # Keeping up.
    Sabotage(
        "changes that are pending are not known",
        "ggrep/daemon/sync_loop.py",
        "behind=schedule.sure or self._state.behind,",
        "behind=self._state.behind,",
        (LOOP + "test_a_mere_suspicion_is_no_change_that_is_pending",),
    ),
    Sabotage(
        "changes that a failed sync found are forgotten",
        "ggrep/daemon/sync_state.py",
        'behind = state.behind or trigger == "change"',
        'behind = trigger == "change"',
        (
            "tests/daemon/test_sync_state.py"
            "::test_changes_that_a_sync_found_are_behind_until_one_publishes",
        ),
    ),
    Sabotage(
        "answers do not say that the index is behind",
        "ggrep/model/index_freshness.py",
        "    if standing.behind:\n",
        "    if standing.behind is None:\n",
        (SERVING + "test_an_answer_says_that_files_have_changed_since",),
    ),
    Sabotage(
        "a suspicion counts as a change",
        "ggrep/daemon/sync_schedule.py",
        "sure, quiet = self.sure or certain, self.quiet or certain",
        "sure, quiet = True, True",
        (SCHEDULE + "test_a_mere_suspicion_is_taken_up_and_leaves_nothing_behind",),
    ),
    Sabotage(
        "changes are pending on a mere suspicion",
        "ggrep/daemon/sync_loop.py",
        "pending=schedule.sure or retry is not None",
        "pending=schedule.first_ms is not None or retry is not None",
        (LOOP + "test_a_mere_suspicion_is_no_change_that_is_pending",),
    ),
    Sabotage(
        "a sync that only looks makes the index be behind",
        "ggrep/daemon/sync_state.py",
        'behind = state.behind or trigger == "change"',
        'behind = state.behind or trigger != ""',
        (
            "tests/daemon/test_sync_state.py::test_a_sync_that_only_makes_sure_is_no_sign_of_changes",
        ),
    ),
    Sabotage(
        "a failed sync is not tried again",
        "ggrep/daemon/sync_schedule.py",
        "            retry_ms=retry_ms,\n",
        "            retry_ms=None,\n",
        (SCHEDULE + "test_a_failed_sync_is_tried_again_ever_later_up_to_a_minute",),
    ),
    Sabotage(
        "everything waits for a failed sync to be tried again",
        "ggrep/daemon/sync_schedule.py",
        '            syncs.insert(0, Due(self.retry_ms, "retry"))\n',
        '            return Due(self.retry_ms, "retry")\n',
        (SCHEDULE + "test_a_change_after_a_failure_does_not_wait_for_the_retry",),
    ),
    Sabotage(
        "changes without end put a sync off without end",
        "ggrep/daemon/sync_schedule.py",
        "min(last_ms, first_ms + figures.coalesce_ms) + debounce_ms",
        "last_ms + debounce_ms",
        (SCHEDULE + "test_events_without_end_hold_a_sync_up_for_800_ms_at_most",),
    ),
    Sabotage(
        "every file of git's own counts",
        "ggrep/daemon/watched_root.py",
        "    return inside in _GIT_FILES or inside.startswith(_GIT_REFS)\n",
        "    return bool(inside)\n",
        (EVENTS,),
    ),
    Sabotage(
        "locks of git count",
        "ggrep/daemon/watched_root.py",
        '    if inside.endswith(".lock"):\n',
        "    if not inside:\n",
        (EVENTS,),
    ),
    Sabotage(
        "directories of products count",
        "ggrep/daemon/watched_root.py",
        "        return self._products is None or inside in self._products\n",
        "        return True\n",
        (EVENTS,),
    ),
    Sabotage(
        "a cancelled sync works on",
        "ggrep/daemon/sync_process.py",
        "            if not whole:\n",
        "            if whole and self._closed:\n",
        (WORKER,),
    ),
    Sabotage(
        "of a cancelled sync only the worker itself is killed",
        "ggrep/daemon/worker_child.py",
        "os.killpg(self._process.pid, signal.SIGKILL)",
        "os.kill(self._process.pid, signal.SIGKILL)",
        (WORKER,),
    ),
    Sabotage(
        "a first index is published as a whole",
        "ggrep/index/sync/portions.py",
        "<= min(2 * FIRST_BYTES, most_bytes):",
        "<= most_bytes:",
        ("tests/sync/test_portions.py::test_who_waits_for_a_first_index_gets_a_small_run_first",),
    ),
    Sabotage(
        "nobody waits for a first index",
        "ggrep/index/sync/syncer.py",
        "            if target.early and self._view is None:\n",
        "            if target.early and self._view is not None:\n",
        (
            "tests/sync/test_syncer.py::test_of_a_first_index_that_is_waited_for_some_is_published_early",
        ),
    ),
    Sabotage(
        "a daemon's first index is one that nobody waits for",
        "ggrep/daemon/sync_work.py",
        "            early=not job.abreast,\n",
        "            early=False,\n",
        ("tests/daemon/test_sync_work.py::test_a_first_index_is_published_early_and_whole",),
    ),
    Sabotage(
        "every repository of a build sweeps the home",
        "ggrep/daemon/sync_work.py",
        "beside=not (job.abreast and job.home in self._swept)",
        "beside=True",
        ("tests/daemon/test_sync_work.py::test_of_a_build_of_many_the_home_is_swept_once",),
    ),
    Sabotage(
        "nobody learns what signal ended a worker",
        "ggrep/daemon/worker_child.py",
        "return -status if status < 0 else None",
        "return None",
        ("tests/federation/test_building.py::test_a_killed_worker_costs_its_repository_alone",),
    ),
    Sabotage(
        "kept parsers are ended with their pool",
        "ggrep/parse/workers/pool.py",
        "                self._kept.keep(self._idle)\n",
        "                self._kept.keep([])\n",
        ("tests/workers/test_parse_pool.py::test_the_next_pool_goes_on_with_kept_workers",),
    ),
    Sabotage(
        "a first index begins with whatever it likes",
        "ggrep/index/sync/portions.py",
        "    for file in (*asked, *rest):\n",
        "    for file in sorted(waiting, key=_by_size):\n",
        ("tests/sync/test_portions.py::test_a_first_index_begins_with_what_was_asked_for",),
    ),
    Sabotage(
        "the first portion of a first index takes as long as it takes",
        "ggrep/index/sync/syncer.py",
        "            time = Deadline.after(target.clock, FIRST_MS) if first else None\n",
        "            time = None\n",
        (
            "tests/sync/test_syncer.py::test_the_first_portion_of_a_first_index_ends_when_its_time_is_over",
        ),
    ),
    Sabotage(
        "a scan shows what the index would leave out",
        "ggrep/search/scan/scanner.py",
        "        if not isinstance(read, SkippedFile):\n",
        "        if True:\n",
        ("tests/scan/test_scanner.py::test_what_would_not_be_indexed_is_not_shown",),
    ),
    Sabotage(
        "a little of a first index is taken for one",
        "ggrep/daemon/admitting.py",
        "return manifest.partial and 2 * counts.files_indexed < counts.files_eligible",
        "return False",
        (
            "tests/daemon/test_first_answer.py"
            "::test_little_of_a_first_index_answers_worse_than_a_scan",
        ),
    ),
    Sabotage(
        "a daemon without an index has everybody wait for it",
        "ggrep/daemon/queries.py",
        "            request_missing_snapshot(daemon)\n            return True\n",
        "            await first_snapshot(daemon, deadline)\n            return False\n",
        (
            "tests/daemon/test_first_answer.py::test_a_search_is_answered_before_anything_is_indexed",
        ),
    ),
    # A daemon's place.
    Sabotage(
        "the lock of a socket is not held",
        "ggrep/daemon/endpoint_files.py",
        "    return HeldLock(descriptor, name)\n",
        "    fcntl.flock(descriptor, fcntl.LOCK_UN)\n    return HeldLock(descriptor, name)\n",
        (
            ENDPOINT + "test_the_second_daemon_of_a_store_is_told_that_there_is_one",
            LEFTOVERS + "test_names_of_a_living_daemon_stay",
        ),
    ),
    Sabotage(
        "a lock file that was removed is a lock",
        "ggrep/daemon/endpoint_files.py",
        "    if not is_file(descriptor, name):\n        return None\n",
        "",
        (ENDPOINT + "test_a_lock_whose_file_has_gone_is_taken_anew",),
    ),
    Sabotage(
        "a daemon that ends removes the names of its successor",
        "ggrep/daemon/endpoint_files.py",
        "        if not lock.exists() or self._lock.is_at(lock):\n",
        "        if lock:\n",
        (ENDPOINT + "test_a_daemon_that_ends_leaves_the_names_of_its_successor",),
    ),
    Sabotage(
        "a daemon that ends removes the locator of its successor",
        "ggrep/daemon/endpoint_files.py",
        '            if os.fsencode(self.path) in self._locator.read_bytes().split(b"\\n"):\n',
        "            if self._locator:\n",
        (LEFTOVERS + "test_a_daemon_takes_its_own_locator_away_only",),
    ),
    Sabotage(
        "who sweeps does not look at locks",
        "ggrep/daemon/endpoint_files.py",
        "        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        if not is_file",
        "        if not is_file",
        (LEFTOVERS + "test_who_sweeps_leaves_a_place_alone_that_is_just_taken",),
    ),
    Sabotage(
        "nobody looks who connects",
        "ggrep/daemon/accept_loop.py",
        "passed_on = is_welcome(uid, path) and await",
        "passed_on = await",
        (ENDPOINT + "test_another_user_is_let_go_without_a_word",),
    ),
    Sabotage(
        "every user is welcome",
        "ggrep/daemon/endpoint_files.py",
        "return uid in {os.geteuid(), 0} or",
        "return uid >= 0 or",
        (ENDPOINT + "test_who_is_another_user_is_not_welcome",),
    ),
    Sabotage(
        "everybody may connect",
        "ggrep/daemon/accept_loop.py",
        "create_unix_listener(name, mode=mode)",
        "create_unix_listener(name, mode=0o666)",
        (ENDPOINT + "test_only_its_user_can_reach_it",),
    ),
    Sabotage(
        "who takes one place of a dead host takes all of them",
        "ggrep/daemon/endpoint_files.py",
        "if clear or os.fstat(descriptor).st_nlink > 1:",
        "if clear:",
        (LOCKS + "test_who_takes_one_place_of_a_dead_process_leaves_the_others_free",),
    ),
    Sabotage(
        "a lock is linked to whatever has its first name by now",
        "ggrep/daemon/endpoint_files.py",
        "        if not self.is_at(name):  # another process's file has our name by now\n",
        "        if not name.exists():\n",
        (LOCKS + "test_a_file_that_took_the_place_of_ours_is_not_linked",),
    ),
    Sabotage(
        "one daemon that ends lets the locks of its neighbours go",
        "ggrep/daemon/endpoint_files.py",
        "        if not self._names and self._descriptor >= 0:\n",
        "        if self._descriptor >= 0:\n",
        (LOCKS + "test_a_daemon_that_ends_gives_its_place_away_alone",),
    ),
    Sabotage(
        "a client is served by whichever daemon of the process is first",
        "ggrep/daemon/accept_loop.py",
        "receiver = self._receivers.get(key) if key else None",
        "receiver = next(iter(self._receivers.values()), None) if key else None",
        (RECEPTION + "test_a_client_comes_to_the_daemon_it_means_with_all_it_said",),
    ),
    Sabotage(
        "who means a daemon that has ended is served by another",
        "ggrep/daemon/accept_loop.py",
        "if receiver is None and (key in self._left or not (heard or self._lone)):",
        "if receiver is None and not (heard or self._lone):",
        (RECEPTION + "test_who_means_one_that_has_ended_finds_the_connection_closed",),
    ),
    Sabotage(
        "what a client said before it was known whom it means is lost",
        "ggrep/daemon/accept_loop.py",
        "receiver.receive(stream, heard)",
        'receiver.receive(stream, b"")',
        (RECEPTION + "test_a_client_comes_to_the_daemon_it_means_with_all_it_said",),
    ),
    Sabotage(
        "one daemon that ends closes the socket of its neighbours",
        "ggrep/daemon/accept_loop.py",
        "            if not door.names:\n",
        "            if True:\n",
        (RECEPTION + "test_the_socket_stays_under_the_names_of_the_others",),
    ),
    Sabotage(
        "where one root cannot be watched none is",
        "ggrep/daemon/watching.py",
        "            if (half := len(some) // 2) and tries < _MOST_TRIES:",
        "            if (half := 0) and tries < _MOST_TRIES:",
        (
            WATCHING
            + "test_one_root_of_a_thousand_that_cannot_be_watched_leaves_the_others_watched",
        ),
    ),
    Sabotage(
        "a daemon that flags chose leads plain searches",
        "ggrep/daemon/store_daemon.py",
        "        return all(name in _OF_NO_ANSWER for name in self._flags)\n",
        "        return True\n",
        (STALE + "test_a_daemon_that_flags_chose_leads_no_plain_search",),
    ),
    Sabotage(
        "the word of a dead process keeps daemons from being started",
        "ggrep/protocol/client/daemon_files.py",
        "if not is_own and is_running(marker.pid, marker.pid_started) else None",
        "if not is_own else None",
        ("tests/client/test_marker.py::test_a_dead_process_is_not",),
    ),
    Sabotage(
        "an older build ends a newer daemon",
        "ggrep/protocol/client/connect_or_start.py",
        "version_key(record.binary_version) < version_key(__version__)",
        "version_key(record.binary_version) != version_key(__version__)",
        (REACHING + "test_a_daemon_that_is_not_older_is_never_ended",),
    ),
    Sabotage(
        "a number that was given away again is signalled by a newer client",
        "ggrep/protocol/client/connect_or_start.py",
        "        if is_running(record.pid, record.pid_started):\n",
        "        if record.pid:\n",
        (REACHING + "test_a_number_that_was_given_away_again_is_not_signalled",),
    ),
    Sabotage(
        "a number that was given away again is taken for the daemon",
        "ggrep/protocol/client/daemon_control.py",
        "    alive = is_running(record.pid, record.pid_started)\n",
        '    alive = Path(f"/proc/{record.pid}").exists()\n',
        (STOPPING + "test_a_daemon_that_has_died_is_gone",),
    ),
    Sabotage(
        "a number that was given away again is signalled by an operator",
        "ggrep/protocol/client/daemon_control.py",
        "        if is_running(record.pid, record.pid_started):\n",
        "        if record.pid:\n",
        (STOPPING + "test_a_number_that_is_given_away_while_we_ask_is_not_signalled",),
    ),
    # What is told.
    Sabotage(
        "the log holds whatever it is given",
        "ggrep/daemon/event_log.py",
        "for key, value in fields.items() if key in LIFECYCLE_FIELDS}",
        "for key, value in fields.items()}",
        (
            "tests/daemon/test_event_log.py"
            "::test_of_fields_that_nobody_planned_only_the_names_are_told",
        ),
    ),
    Sabotage(
        "the log holds the query",
        "ggrep/daemon/query_log.py",
        "name, bounds.mode.value, bounds.limit,",
        "name, bounds.query, bounds.limit,",
        (
            "tests/daemon/test_query_log.py"
            "::test_the_log_holds_neither_query_nor_content_however_a_search_ends",
        ),
    ),
    Sabotage(
        "an answer names the snapshot that is active when it is put together",
        "ggrep/search/query/context.py",
        "            snapshot_id=manifest.snapshot_id,\n",
        '            snapshot_id=__import__("ggrep.index.store.active", fromlist=["x"])'
        ".read_active(self.view.store),\n",
        (
            "tests/daemon/test_admission_over_the_wire.py"
            "::test_a_search_sees_one_snapshot_however_many_are_published_meanwhile",
        ),
    ),
    Sabotage(
        "what was worked out of one snapshot serves for all",
        "ggrep/index/store/view.py",
        "field(default_factory=Cache)",
        "field(default_factory=lambda kept=Cache(): kept)",
        ("tests/engine/test_engine.py::test_a_query_sees_what_another_process_published",),
    ),
    Sabotage(
        "a segment is scored only for terms",
        "ggrep/search/query/score.py",
        "names = {*self._query.terms, *self._query.symbols}",
        "names = {*self._query.terms}",
        (SCORES + "test_a_segment_without_any_term_of_the_query_may_still_have_a_hit",),
    ),
    Sabotage(
        "a segment is not scored for a place alone",
        "ggrep/search/query/score.py",
        "        if dense or self._query.places:\n",
        "        if dense:\n",
        (SCORES + "test_a_segment_without_any_term_of_the_query_may_still_have_a_hit",),
    ),
    # The client.
    Sabotage(
        "a search asks a daemon though none is to be started",
        "ggrep/service/daemon_choice.py",
        "        and (address.settings.start_daemon or address.socket.exists())\n",
        "",
        (CHOICE + "test_where_no_daemon_is_to_be_started_a_search_asks_one_that_runs",),
    ),
    Sabotage(
        "a daemon is started though none is to be",
        "ggrep/service/daemon_choice.py",
        "    starts = address.settings.start_daemon\n",
        "    starts = True\n",
        (CHOICE + "test_a_search_that_finds_its_daemon_gone_starts_none_against_the_settings",),
    ),
    Sabotage(
        "a search asks a daemon though it is to stay offline",
        "ggrep/service/daemon_choice.py",
        '        and not environ.get("GGREP_OFFLINE")\n',
        "",
        (CHOICE + "test_offline_no_daemon_is_asked",),
    ),
    # The Python interface.
    Sabotage(
        "a program has a directory indexed that nobody asked for",
        "ggrep/service/repository_handle.py",
        "            require = require_modest if wanted else require_asked\n",
        "            require = require_modest\n",
        (PYTHON + "test_nothing_is_indexed_that_nobody_asked_for",),
    ),
    Sabotage(
        "what was closed goes on answering",
        "ggrep/service/repository_handle.py",
        "        self._closed = True\n",
        "        self._closed = False\n",
        (PYTHON + "test_what_was_closed_says_so",),
    ),
    Sabotage(
        "a forked process reads an index with threads that are not there",
        "ggrep/service/location.py",
        '_BEFORE_FORK.append("lancedb" in sys.modules)',
        "_BEFORE_FORK.append(False)",
        (PYTHON + "test_a_forked_process_does_not_wait_for_threads_that_are_not_there",),
    ),
    Sabotage(
        "a misspelt option passes for one that was left out",
        "ggrep/service/call_requests.py",
        "        if name not in allowed.__annotations__:\n",
        "        if not allowed.__annotations__:\n",
        (OPTIONS + "test_an_option_that_there_is_not_is_a_type_error",),
    ),
    Sabotage(
        "a path outside of the root narrows to nothing",
        "ggrep/service/call_requests.py",
        "        if candidate.is_relative_to(root):\n",
        "        if candidate.name:\n",
        (OPTIONS + "test_a_path_is_one_below_the_root",),
    ),
    Sabotage(
        "the daemon's own time bounds a client's search",
        "ggrep/protocol/client/daemon_client.py",
        "request=timed(request, left_ms),",
        "request=request,",
        (CLIENT + "test_a_search_brings_the_time_it_has_left",),
    ),
    Sabotage(
        "a daemon that is stopped is waited for",
        "ggrep/protocol/client/link.py",
        "            require_running(link.pid)\n",
        "",
        ("tests/client/test_link.py::test_a_daemon_that_is_stopped_is_known_at_once",),
    ),
    Sabotage(
        "a greeting takes all of the time",
        "ggrep/protocol/client/link.py",
        "max(GREETING_MS, left_ms / 4), left_ms / 2)",
        "max(GREETING_MS, left_ms))",
        ("tests/client/test_link.py::test_a_greeting_has_a_part_of_the_time",),
    ),
    Sabotage(
        "a question outlasts the time of its command",
        "ggrep/base/clock.py",
        "min(self.at_ms, self.clock.monotonic_ms() + timeout_ms)",
        "self.clock.monotonic_ms() + timeout_ms",
        ("tests/test_command_time.py::test_a_deadline_within_another_never_ends_later",),
    ),
    Sabotage(
        "a question to a daemon that is being stopped fails",
        "ggrep/protocol/client/daemon_client.py",
        '            if not reply.body.get("stopping") or ',
        "            if reply.error or ",
        (CLIENT + "test_a_daemon_that_is_being_stopped_passes_the_question_on",),
    ),
    Sabotage(
        "a failure has the exit status of success on the fast path",
        "ggrep/interfaces/entry/fast.py",
        "    if error is not None:\n"
        "        return Rendered(out, err, 2 if strict and status == 1 else status)\n",
        "    if error is not None:\n        return Rendered(out, err, 0)\n",
        (FAST + "test_a_failure_that_stands_is_printed_as_the_daemon_put_it",),
    ),
    Sabotage(
        "the fast path believes a daemon that is stale",
        "ggrep/interfaces/entry/fast.py",
        "    if greeted not in ([*expected, False], [*expected, None]):\n",
        "    if greeted[:4] != expected:\n",
        (FAST + "test_a_daemon_that_is_not_the_one_that_was_meant_is_not_listened_to",),
    ),
    Sabotage(
        "the fast path asks a daemon of another build",
        "ggrep/interfaces/entry/fast.py",
        "    if locator.build != build:\n",
        "    if not build:\n",
        (FAST + "test_a_daemon_of_another_build_is_not_asked",),
    ),
    Sabotage(
        "a locator of another root leads the way",
        "ggrep/interfaces/entry/daemon_place.py",
        '[lines[0], lines[1], lines[6]] != [MAGIC, os.fsencode(root), b""]',
        '[lines[0], lines[6]] != [MAGIC, b""]',
        ("tests/entry/test_place.py::test_a_hint_that_is_not_exactly_one_is_none",),
    ),
    Sabotage(
        "a locator of another user leads the way",
        "ggrep/interfaces/entry/daemon_place.py",
        "        if os.fstat(descriptor).st_uid != os.geteuid():\n",
        "        if descriptor < 0:\n",
        ("tests/entry/test_place.py::test_a_hint_of_another_user_is_not_followed",),
    ),
    Sabotage(
        "a query worker that dies takes an answer with it",
        "ggrep/daemon/query_process.py",
        "        except WorkerGone as gone:\n"
        "            await self._end(worker, gone.reason)\n"
        "            deadline",
        "        except TypeError as gone:\n"
        "            await self._end(worker, str(gone))\n"
        "            deadline",
        (QUERY_WORKER + "test_the_host_answers_for_a_worker_that_dies_or_is_stopped",),
    ),
    Sabotage(
        "queries of one store start a worker for another",
        "ggrep/daemon/query_process.py",
        "        crowded = self._crowded[store]\n",
        '        crowded = self._crowded[""]\n',
        (QUERY_WORKER + "test_queries_of_one_store_start_no_worker_for_another",),
    ),
    Sabotage(
        "a query that a worker answers occupies the host",
        "ggrep/daemon/qos/permits.py",
        "self.permits.in_use - self._elsewhere",
        "self.permits.in_use",
        (QUERY_WORKER + "test_a_query_that_a_worker_answers_does_not_occupy_the_host",),
    ),
    Sabotage(
        "a query worker that is stopped takes all of the time",
        "ggrep/daemon/query_process.py",
        "if worker.pid is not None and is_stopped(worker.pid):",
        "if False:",
        (QUERY_WORKER + "test_the_host_answers_for_a_worker_that_dies_or_is_stopped",),
    ),
    Sabotage(
        "a query worker is not told that a request was ended",
        "ggrep/daemon/query_process.py",
        "                await worker.send(_CANCEL)\n",
        "",
        (QUERY_WORKER + "test_an_ended_request_ends_the_query_and_spares_the_worker",),
    ),
    Sabotage(
        "a query worker of another build answers",
        "ggrep/daemon/query_process.py",
        'hello != {"build": self._build}',
        "hello is None",
        (QUERY_WORKER + "test_a_worker_of_another_build_is_not_used",),
    ),
    Sabotage(
        "a query worker answers over a damaged store",
        "ggrep/daemon/query_work.py",
        "        if self._damaged:\n",
        "        if not self._clock:\n",
        (QUERY_WORKER + "test_the_host_answers_over_a_damaged_store",),
    ),
    Sabotage(
        "a query worker does not know how the syncs stand",
        "ggrep/daemon/query_work.py",
        "self._standing, self._damaged = job.standing, False",
        "self._damaged = False",
        (QUERY_WORKER + "test_what_the_daemon_knows_stands_in_the_answer",),
    ),
    Sabotage(
        "a daemon's first sync begins beside its first answer",
        "ggrep/daemon/daemon_tasks.py",
        "            if is_published(daemon):\n",
        "            if is_published(daemon) and not daemon.free.set():\n",
        (
            "tests/daemon/test_first_answer.py::"
            "test_a_sync_of_an_index_leaves_the_machine_to_the_first_answer",
        ),
    ),
    Sabotage(
        "each thread of a daemon has a heap of its own",
        "ggrep/base/linux.py",
        "mallopt(_ARENA_MAX, 1)",
        "mallopt(_ARENA_MAX, 8)",
        ("tests/test_heap.py::test_a_thread_allocates_from_the_heap_of_the_process",),
    ),
)
