-- assign and add_numbered of 003 and 004, with statements that the planner runs by the index outbox_unassigned whatever
-- the statistics are. After a large transaction they say that the table has many pages and hardly any rows. The planner
-- then took any index for a walk over the whole table. Signatures and results are the same as before.
CREATE OR REPLACE FUNCTION queue.assign(
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
    -- Never waits: a writer has locked other rows, whose next owner may have locked this one.
    SELECT l.epoch, l.position INTO v_epoch, v_position
    FROM queue.event_log l WHERE l.realm = p_realm FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
  ELSE
    IF p_delete_up_to IS NULL AND (
      SELECT o.id FROM queue.outbox o
      WHERE (o.topic, o.realm) >= (p_topic, p_realm) AND (o.topic, o.realm) <= (p_topic, p_realm) AND o.seq IS NULL
      ORDER BY o.topic, o.realm, o.id LIMIT 1
    ) IS NULL THEN
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

  -- A number that was sent to Redis must survive a crash of this server: never weaker than 'on', whatever the default.
  IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  -- The planner does not see the limit, and so expects a tenth of the rows. With the limit it might read and sort all rows
  -- of the realm. The ids are an array, because a join might be run as a walk over the whole table. width_bucket finds the
  -- place of an id in the sorted array by a binary search.
  RETURN QUERY
  WITH picked AS MATERIALIZED (
    SELECT array_agg(n.id ORDER BY n.id) AS ids, array_agg(n.seq ORDER BY n.id) AS seqs, max(n.seq) AS last
    FROM (
      SELECT o.id, v_position + sum(o.weight) OVER (ORDER BY o.id) AS seq
      FROM (
        SELECT r.id, r.weight FROM queue.outbox r
        WHERE (r.topic, r.realm) >= (p_topic, p_realm) AND (r.topic, r.realm) <= (p_topic, p_realm) AND r.seq IS NULL
        ORDER BY r.topic, r.realm, r.id LIMIT (SELECT p_limit)
      ) o
    ) n
  ), numbered AS (
    UPDATE queue.outbox o SET seq = p.seqs[width_bucket(o.id, p.ids)] FROM picked p WHERE o.id = ANY (p.ids)
    RETURNING o.id, o.seq, o.weight, o.void, o.audience, o.payload::text AS payload
  ), moved AS (
    UPDATE queue.event_log l SET position = p.last FROM picked p WHERE l.realm = p_realm AND p.last IS NOT NULL
    RETURNING l.position
  )
  SELECT v_epoch, coalesce((SELECT m.position FROM moved m), v_position),
         n.id, n.seq, n.weight, n.void, n.audience, n.payload
  FROM (SELECT 1) AS one LEFT JOIN numbered n ON true
  ORDER BY n.seq;
END $$;

CREATE OR REPLACE FUNCTION queue.add_numbered(
  p_topic text, p_realm text, p_limit integer, p_version integer, p_payload json, p_key text, p_not_before timestamptz,
  p_context json, p_audience text, p_weight integer)
RETURNS TABLE (epoch bigint, "position" bigint, id bigint, seq bigint, weight integer, void boolean, audience text, payload text)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_held boolean := false;
BEGIN
  -- An older snapshot would not see what others have committed. The lock is waited for by no writer: see 003.
  IF current_setting('transaction_isolation') = 'read committed' THEN
    SELECT l.epoch, l.position INTO epoch, position
    FROM queue.event_log l WHERE l.realm = p_realm FOR UPDATE SKIP LOCKED;
    v_held := FOUND;
  END IF;

  -- Rows that others have left without a number come first: one that is numbered past them breaks the order.
  IF v_held AND (
    SELECT o.id FROM queue.outbox o
    WHERE (o.topic, o.realm) >= (p_topic, p_realm) AND (o.topic, o.realm) <= (p_topic, p_realm) AND o.seq IS NULL
    ORDER BY o.topic, o.realm, o.id LIMIT 1
  ) IS NULL THEN
    IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    position := position + p_weight;
    UPDATE queue.event_log l SET position = add_numbered.position WHERE l.realm = p_realm;
    INSERT INTO queue.outbox AS o (topic, realm, version, payload, key, not_before, context, audience, weight, seq)
    VALUES (p_topic, p_realm, p_version, p_payload, p_key, p_not_before, p_context, p_audience, p_weight, position)
    RETURNING o.id INTO id;
    seq := position;
    weight := p_weight;
    void := false;
    audience := p_audience;
    RETURN NEXT;
    RETURN;
  END IF;

  INSERT INTO queue.outbox (topic, realm, version, payload, key, not_before, context, audience, weight)
  VALUES (p_topic, p_realm, p_version, p_payload, p_key, p_not_before, p_context, p_audience, p_weight);
  IF v_held THEN
    RETURN QUERY SELECT a.* FROM queue.assign(p_topic, p_realm, p_limit, NULL, true) a;
  END IF;
END $$;
