-- A writer may number its own rows as the last statement before its COMMIT, when nobody else gives out numbers at that
-- moment (docs/adr/0011). It waits for nobody, and is waited for no longer than that COMMIT takes.
--
-- Step A as in 002, in one function for both: nested functions would cost a quarter of its time.
DROP FUNCTION queue.assign(text, text, integer, bigint);

-- p_before_commit: inside the transaction of a writer that has inserted its rows. No row is answered then when somebody
-- else is at it, the realm is new, or the transaction's snapshot is too old to see what others have committed: step A has
-- to follow the commit.
CREATE FUNCTION queue.assign(
  p_topic text, p_realm text, p_limit integer, p_delete_up_to bigint, p_before_commit boolean DEFAULT false)
RETURNS TABLE (epoch bigint, "position" bigint, id bigint, seq bigint, weight integer, void boolean, audience text, payload text)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_epoch bigint;
  v_position bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    IF p_before_commit THEN RETURN; END IF;
    RAISE EXCEPTION 'queue.assign runs in a READ COMMITTED transaction only' USING ERRCODE = '25001';
  END IF;

  IF p_before_commit THEN
    -- Never waits: a writer holds other rows, whose next owner may hold this one.
    SELECT l.epoch, l.position INTO v_epoch, v_position
    FROM queue.event_log l WHERE l.realm = p_realm FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
  ELSE
    IF p_delete_up_to IS NULL AND NOT EXISTS (
      SELECT 1 FROM queue.outbox o WHERE o.topic = p_topic AND o.realm = p_realm AND o.seq IS NULL
    ) THEN
      SELECT l.epoch, l.position INTO v_epoch, v_position FROM queue.event_log l WHERE l.realm = p_realm;
      IF FOUND THEN
        RETURN QUERY SELECT v_epoch, v_position, NULL::bigint, NULL::bigint, NULL::integer, NULL::boolean, NULL::text, NULL::text;
        RETURN;
      END IF;
    END IF;
    LOOP
      SELECT l.epoch, l.position INTO v_epoch, v_position FROM queue.event_log l WHERE l.realm = p_realm FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO queue.event_log (realm) VALUES (p_realm) ON CONFLICT DO NOTHING;
    END LOOP;
    IF p_delete_up_to IS NOT NULL THEN
      DELETE FROM queue.outbox o WHERE o.topic = p_topic AND o.realm = p_realm AND o.seq <= p_delete_up_to;
    END IF;
  END IF;

  -- A number that was told to Redis must survive a crash of this server: never weaker than 'on', whatever the default.
  IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  RETURN QUERY
  WITH picked AS MATERIALIZED (
    SELECT o.id, v_position + sum(o.weight) OVER (ORDER BY o.id) AS seq
    FROM (
      SELECT r.id, r.weight FROM queue.outbox r
      WHERE r.topic = p_topic AND r.realm = p_realm AND r.seq IS NULL
      ORDER BY r.id LIMIT p_limit
    ) o
  ), numbered AS (
    UPDATE queue.outbox o SET seq = p.seq FROM picked p WHERE o.id = p.id
    RETURNING o.id, o.seq, o.weight, o.void, o.audience, o.payload::text AS payload
  ), moved AS (
    UPDATE queue.event_log l SET position = m.seq
    FROM (SELECT max(p.seq) AS seq FROM picked p) m
    WHERE l.realm = p_realm AND m.seq IS NOT NULL
    RETURNING l.position
  )
  SELECT v_epoch, coalesce((SELECT m.position FROM moved m), v_position),
         n.id, n.seq, n.weight, n.void, n.audience, n.payload
  FROM (SELECT 1) AS one LEFT JOIN numbered n ON true
  ORDER BY n.seq;
END $$;
