-- Oldest release: 0.1.0
-- The store of an event log without Redis (docs/adr/0053). The tables contain what the keys of a realm in Redis contain,
-- and each function is one script of docs/contract/event-log.md. A function that writes first locks the row of the realm
-- in event_log_state. Its statements are therefore one atomic step, and each sees what was committed before the lock.
CREATE TABLE queue.event_log_state (
  realm   text   PRIMARY KEY,
  -- NULL before the first entry of the log.
  epoch   bigint,
  last    bigint NOT NULL DEFAULT 0,
  floor   bigint NOT NULL DEFAULT 0,
  -- Number of entries and their size, so that the limits of the log can be checked without reading it.
  entries bigint NOT NULL DEFAULT 0,
  bytes   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50);

CREATE TABLE queue.event_log_entry (
  realm         text    NOT NULL,
  unit          bigint  NOT NULL,
  previous_unit bigint  NOT NULL,
  row_id        bigint  NOT NULL,
  audience      text    NOT NULL,
  payload       text    NOT NULL,
  -- Size of the entry in the tables, about 100 bytes more than its texts.
  bytes         integer NOT NULL,
  PRIMARY KEY (realm, unit)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE queue.event_queue (
  realm        text        NOT NULL,
  id           text        NOT NULL,
  state        text        NOT NULL CHECK (state IN ('registering', 'live', 'gone')),
  owner        text        NOT NULL,
  roles        text        NOT NULL,
  filter       text        NOT NULL,
  capabilities text        NOT NULL,
  snapshot     text        NOT NULL,
  idle_ms      bigint      NOT NULL,
  epoch        bigint,
  start        bigint,
  skip         text        NOT NULL DEFAULT '',
  -- Newest poll of the queue, as `process:number`.
  token        text        NOT NULL DEFAULT '',
  -- Position up to which the client has acknowledged the log.
  acknowledged bigint      NOT NULL,
  -- End of the queue, or of the tombstone (state `gone`).
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (realm, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX event_queue_by_position ON queue.event_queue (realm, acknowledged);
CREATE INDEX event_queue_by_time ON queue.event_queue (realm, expires_at);
CREATE INDEX event_queue_by_owner ON queue.event_queue (realm, owner);

-- Roles that may insert rows into the outbox may use the event log.
DO $$
DECLARE
  v_grantee text;
BEGIN
  FOR v_grantee IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'queue.outbox'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format(
      'GRANT SELECT, INSERT, UPDATE, DELETE ON queue.event_log_state, queue.event_log_entry, queue.event_queue TO %s',
      v_grantee);
  END LOOP;
END $$;

-- Locks the log of a realm until the end of the transaction, and returns its state.
CREATE FUNCTION queue.lock_log(p_realm text) RETURNS queue.event_log_state LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'The event log is written in READ COMMITTED transactions only' USING ERRCODE = '25001';
  END IF;
  LOOP
    SELECT * INTO v_log FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO queue.event_log_state (realm) VALUES (p_realm) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN v_log;
END $$;

-- Script `append`. The arrays contain the rows in the order of their numbers.
CREATE FUNCTION queue.append_to_log(
  p_realm text, p_epoch bigint, p_position bigint, p_units bigint[], p_weights bigint[], p_rows bigint[],
  p_void boolean[], p_audiences text[], p_payloads text[])
RETURNS TABLE (status text, reached bigint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state := queue.lock_log(p_realm);
  v_count integer := cardinality(p_units);
  v_first integer := 1;
  v_end integer;
BEGIN
  reached := v_log.last;
  IF v_log.epoch <> p_epoch THEN
    status := CASE WHEN v_log.epoch > p_epoch THEN 'STALE' ELSE 'OLD' END;
    RETURN NEXT;
    RETURN;
  END IF;
  WHILE v_first <= v_count AND p_units[v_first] <= v_log.last LOOP
    v_first := v_first + 1;
  END LOOP;
  IF v_first > 1 AND EXISTS (
    SELECT FROM queue.event_log_entry e
    WHERE e.realm = p_realm AND e.unit = p_units[v_first - 1] AND e.row_id <> p_rows[v_first - 1]
  ) THEN
    status := 'DIVERGED';
    RETURN NEXT;
    RETURN;
  END IF;
  status := 'OK';
  v_end := v_first - 1;
  WHILE v_end < v_count LOOP
    IF p_units[v_end + 1] - p_weights[v_end + 1] <> reached THEN
      status := 'GAP';
      EXIT;
    END IF;
    v_end := v_end + 1;
    reached := p_units[v_end];
    IF p_void[v_end] THEN v_log.floor := reached; END IF;
  END LOOP;
  IF reached < p_position THEN status := 'GAP'; END IF;
  IF reached <> v_log.last THEN
    WITH added AS (
      INSERT INTO queue.event_log_entry (realm, unit, previous_unit, row_id, audience, payload, bytes)
      SELECT p_realm, r.unit, r.unit - r.weight, r.row_id, r.audience, r.payload,
             octet_length(r.audience) + octet_length(r.payload) + 100
      FROM unnest(p_units[v_first:v_end], p_weights[v_first:v_end], p_rows[v_first:v_end], p_audiences[v_first:v_end],
                  p_payloads[v_first:v_end]) AS r (unit, weight, row_id, audience, payload)
      RETURNING bytes
    )
    UPDATE queue.event_log_state s
    SET epoch = p_epoch, last = reached, floor = v_log.floor, entries = s.entries + a.entries, bytes = s.bytes + a.bytes
    FROM (SELECT count(*) AS entries, sum(added.bytes) AS bytes FROM added) a WHERE s.realm = p_realm;
  END IF;
  RETURN NEXT;
END $$;

-- Script `reset`. Returns true if the log begins again after p_floor. Entries up to the floor are not part of the log, and
-- trim_log deletes them. Later positions than the floor are not expected here, and would collide with the next appends.
CREATE FUNCTION queue.reset_log(p_realm text, p_epoch bigint, p_floor bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state := queue.lock_log(p_realm);
BEGIN
  IF v_log.epoch > p_epoch THEN RETURN false; END IF;
  IF (v_log.epoch < p_epoch) IS NOT TRUE AND v_log.last >= p_floor THEN RETURN false; END IF;
  WITH removed AS (
    DELETE FROM queue.event_log_entry e WHERE e.realm = p_realm AND e.unit > p_floor RETURNING e.bytes
  )
  UPDATE queue.event_log_state s
  SET epoch = p_epoch, last = p_floor, floor = p_floor, entries = s.entries - r.entries, bytes = s.bytes - r.bytes
  FROM (SELECT count(*) AS entries, coalesce(sum(removed.bytes), 0) AS bytes FROM removed) r
  WHERE s.realm = p_realm;
  RETURN true;
END $$;

-- Script `record`.
CREATE FUNCTION queue.record_event_queue(
  p_realm text, p_id text, p_grace_ms bigint, p_owner text, p_roles text, p_filter text, p_capabilities text,
  p_snapshot text, p_idle_ms bigint)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state := queue.lock_log(p_realm);
BEGIN
  INSERT INTO queue.event_queue (
    realm, id, state, owner, roles, filter, capabilities, snapshot, idle_ms, acknowledged, expires_at)
  VALUES (p_realm, p_id, 'registering', p_owner, p_roles, p_filter, p_capabilities, p_snapshot, p_idle_ms, v_log.last,
          clock_timestamp() + p_grace_ms * interval '1 millisecond');
END $$;

-- Script `resume`. p_units: number of log positions after the start of the known queue that its client has applied.
-- Returns the known queue, or no row if it cannot be continued.
CREATE FUNCTION queue.continue_event_queue(
  p_realm text, p_id text, p_grace_ms bigint, p_known_id text, p_units bigint, p_owner text, p_roles text,
  p_filter text, p_capabilities text, p_snapshot text, p_idle_ms bigint)
RETURNS SETOF queue.event_queue LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state := queue.lock_log(p_realm);
  v_known queue.event_queue;
BEGIN
  SELECT * INTO v_known FROM queue.event_queue q
  WHERE q.realm = p_realm AND q.id = p_known_id AND q.state <> 'registering'
    AND (q.state = 'live' OR q.expires_at > clock_timestamp())
    AND (v_log.epoch IS NULL OR q.epoch = v_log.epoch)
    AND (q.owner, q.roles, q.filter, q.capabilities, q.snapshot)
      = (p_owner, p_roles, p_filter, p_capabilities, p_snapshot)
    AND q.start + p_units >= v_log.floor;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO queue.event_queue (
    realm, id, state, owner, roles, filter, capabilities, snapshot, idle_ms, acknowledged, expires_at)
  VALUES (p_realm, p_id, 'registering', p_owner, p_roles, p_filter, p_capabilities, p_snapshot, p_idle_ms,
          least(v_known.start + p_units, v_log.last), clock_timestamp() + p_grace_ms * interval '1 millisecond');
  RETURN NEXT v_known;
END $$;

-- Script `finalize`. Returns false if the record of the queue was removed.
CREATE FUNCTION queue.finalize_event_queue(
  p_realm text, p_id text, p_epoch bigint, p_start bigint, p_skip text, p_lease_ms bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
  UPDATE queue.event_queue q
  SET state = 'live', epoch = p_epoch, start = p_start, acknowledged = p_start, skip = p_skip,
      expires_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  WHERE q.realm = p_realm AND q.id = p_id AND q.state = 'registering';
  RETURN FOUND;
END $$;

-- Script `poll`: checks the queues of several polls in their order. p_units: number of log positions after the start of
-- the queue that the client acknowledges. `replaced` is the token of an earlier poll that has to end.
CREATE FUNCTION queue.check_event_queues(
  p_realm text, p_ids text[], p_owners text[], p_units bigint[], p_tokens text[], p_hold_ms bigint[],
  p_renews boolean[], p_known boolean[])
RETURNS TABLE (
  status text, log_last bigint, replaced text, queue_epoch bigint, queue_start bigint, queue_skip text,
  queue_roles text, queue_filter text, queue_capabilities text)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state;
  v_queue queue.event_queue;
  v_unit bigint;
BEGIN
  -- A crash of the server may undo the newest checks. A client's own position decides what it gets next, so this only
  -- delays the removal of entries.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO v_log FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
  log_last := coalesce(v_log.last, 0);
  FOR i IN 1 .. cardinality(p_ids) LOOP
    replaced := NULL;
    queue_epoch := NULL;
    SELECT * INTO v_queue FROM queue.event_queue q WHERE q.realm = p_realm AND q.id = p_ids[i];
    IF NOT FOUND OR v_queue.state <> 'live' OR v_queue.owner <> p_owners[i] OR v_queue.epoch <> v_log.epoch
      OR (NOT p_renews[i] AND v_queue.expires_at <= clock_timestamp())
    THEN
      status := 'BAD';
      RETURN NEXT;
      CONTINUE;
    END IF;
    v_unit := v_queue.start + p_units[i];
    IF p_renews[i] AND v_queue.token <> p_tokens[i] THEN
      status := 'ENDED';
    ELSIF v_unit < v_queue.acknowledged THEN
      status := 'PRUNED';
    ELSE
      status := 'OK';
      UPDATE queue.event_queue q
      SET acknowledged = CASE WHEN v_unit <= log_last THEN v_unit ELSE q.acknowledged END,
          expires_at = clock_timestamp() + (p_hold_ms[i] + q.idle_ms) * interval '1 millisecond',
          token = p_tokens[i]
      WHERE q.realm = p_realm AND q.id = p_ids[i];
      IF v_queue.token NOT IN ('', p_tokens[i]) THEN replaced := v_queue.token; END IF;
      IF NOT p_known[i] THEN
        queue_epoch := v_queue.epoch;
        queue_start := v_queue.start;
        queue_skip := v_queue.skip;
        queue_roles := v_queue.roles;
        queue_filter := v_queue.filter;
        queue_capabilities := v_queue.capabilities;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Scripts `remove` and `removeOwned`. Deletes the queues and tombstones of the owners, or only the one with p_id.
CREATE FUNCTION queue.remove_event_queues(p_realm text, p_owners text[], p_id text)
RETURNS TABLE (queue_id text, ended_token text, was_live boolean) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
  RETURN QUERY
  DELETE FROM queue.event_queue q
  WHERE q.realm = p_realm AND q.owner = ANY (p_owners) AND (p_id IS NULL OR q.id = p_id)
  RETURNING q.id, q.token, q.state <> 'gone';
END $$;

-- Script `collect`. Returns the expired queues, and then the expired tombstones.
CREATE FUNCTION queue.collect_event_queues(
  p_realm text, p_limit integer, p_retention_ms bigint, p_tombstones_per_owner integer)
RETURNS TABLE (queue_id text, ended_token text, was_tombstone boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_queue queue.event_queue;
BEGIN
  PERFORM FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
  v_now := clock_timestamp();
  was_tombstone := false;
  FOR v_queue IN
    SELECT * FROM queue.event_queue q
    WHERE q.realm = p_realm AND q.state <> 'gone' AND q.expires_at <= v_now
    ORDER BY q.expires_at, q.id LIMIT p_limit
  LOOP
    IF p_retention_ms > 0 AND v_queue.state = 'live' THEN
      UPDATE queue.event_queue q
      SET state = 'gone', token = '', expires_at = v_now + p_retention_ms * interval '1 millisecond'
      WHERE q.realm = p_realm AND q.id = v_queue.id AND q.state = v_queue.state AND q.expires_at <= v_now;
      CONTINUE WHEN NOT FOUND;
      DELETE FROM queue.event_queue q WHERE q.realm = p_realm AND q.id IN (
        SELECT t.id FROM queue.event_queue t
        WHERE t.realm = p_realm AND t.owner = v_queue.owner AND t.state = 'gone'
        ORDER BY t.expires_at DESC, t.id DESC OFFSET p_tombstones_per_owner
      );
    ELSE
      DELETE FROM queue.event_queue q
      WHERE q.realm = p_realm AND q.id = v_queue.id AND q.state = v_queue.state AND q.expires_at <= v_now;
      CONTINUE WHEN NOT FOUND;
    END IF;
    queue_id := v_queue.id;
    ended_token := v_queue.token;
    RETURN NEXT;
  END LOOP;
  RETURN QUERY
  DELETE FROM queue.event_queue q WHERE q.realm = p_realm AND q.id IN (
    SELECT t.id FROM queue.event_queue t
    WHERE t.realm = p_realm AND t.state = 'gone' AND t.expires_at <= v_now LIMIT p_limit
  )
  RETURNING q.id, q.token, true;
END $$;

-- Deletes the oldest p_limit entries up to the floor of a log that the caller has locked. Returns their number.
CREATE FUNCTION queue.delete_entries_up_to_floor(p_realm text, p_limit integer)
RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_floor bigint;
  v_stop bigint;
  v_count bigint;
BEGIN
  SELECT s.floor INTO v_floor FROM queue.event_log_state s WHERE s.realm = p_realm;
  SELECT e.unit INTO v_stop FROM queue.event_log_entry e
  WHERE e.realm = p_realm AND e.unit <= v_floor ORDER BY e.unit OFFSET p_limit - 1 LIMIT 1;
  WITH removed AS (
    DELETE FROM queue.event_log_entry e
    WHERE e.realm = p_realm AND e.unit <= coalesce(v_stop, v_floor) RETURNING e.bytes
  )
  UPDATE queue.event_log_state s SET entries = s.entries - r.entries, bytes = s.bytes - r.bytes
  FROM (SELECT count(*) AS entries, sum(removed.bytes) AS bytes FROM removed) r
  WHERE s.realm = p_realm AND r.entries > 0
  RETURNING r.entries INTO v_count;
  RETURN coalesce(v_count, 0);
END $$;

-- Script `trim`. Raises the floor at once, and deletes at most p_limit entries, so that the log is locked for a short time.
-- Returns true if further entries may remain to be deleted: the caller repeats the call. The limits of the log apply only
-- after all entries up to the previous floor are deleted, because these are not part of the log.
CREATE FUNCTION queue.trim_log(p_realm text, p_max_entries bigint, p_max_bytes bigint, p_limit integer)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_log queue.event_log_state;
  v_kept bigint := p_max_entries;
  v_floor bigint;
  v_previous bigint;
BEGIN
  SELECT * INTO v_log FROM queue.event_log_state s WHERE s.realm = p_realm FOR UPDATE;
  IF v_log.epoch IS NULL THEN RETURN false; END IF;
  IF queue.delete_entries_up_to_floor(p_realm, p_limit) = p_limit THEN RETURN true; END IF;
  SELECT * INTO v_log FROM queue.event_log_state s WHERE s.realm = p_realm;
  SELECT least(v_log.last, min(q.acknowledged)) INTO v_floor FROM queue.event_queue q WHERE q.realm = p_realm;
  IF v_log.bytes > p_max_bytes THEN
    v_kept := least(v_kept, greatest(1, floor(v_log.entries * 0.9 * p_max_bytes / v_log.bytes)::bigint));
  END IF;
  IF v_log.entries > v_kept THEN
    SELECT e.previous_unit INTO v_previous FROM queue.event_log_entry e
    WHERE e.realm = p_realm ORDER BY e.unit OFFSET v_log.entries - v_kept LIMIT 1;
  END IF;
  v_floor := greatest(v_floor, v_previous, v_log.floor);
  IF v_floor = v_log.floor THEN RETURN false; END IF;
  UPDATE queue.event_log_state s SET floor = v_floor WHERE s.realm = p_realm;
  RETURN queue.delete_entries_up_to_floor(p_realm, p_limit) = p_limit;
END $$;
