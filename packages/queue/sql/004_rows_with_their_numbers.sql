-- Inserts a row of an event log topic and, when nobody else gives out numbers at that moment, numbers it: what an INSERT
-- and queue.assign(..., p_before_commit => true) do as the last statements of a writer (docs/adr/0011), in one call. The
-- usual row is inserted with its number: an update would write it a second time, with an entry in every index.
--
-- Answers as queue.assign does. The payload of the row that was given is NULL: its writer has it.
CREATE FUNCTION queue.add_numbered(
  p_topic text, p_realm text, p_limit integer, p_version integer, p_payload json, p_key text, p_not_before timestamptz,
  p_context json, p_audience text, p_weight integer)
RETURNS TABLE (epoch bigint, "position" bigint, id bigint, seq bigint, weight integer, void boolean, audience text, payload text)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_held boolean := false;
BEGIN
  -- An older snapshot would not see what others have committed. The lock is waited for by nobody: see 003.
  IF current_setting('transaction_isolation') = 'read committed' THEN
    SELECT l.epoch, l.position INTO epoch, position
    FROM queue.event_log l WHERE l.realm = p_realm FOR UPDATE SKIP LOCKED;
    v_held := FOUND;
  END IF;

  -- Rows that others have left without a number come first: one that is numbered past them breaks the order.
  IF v_held AND NOT EXISTS (
    SELECT 1 FROM queue.outbox o WHERE o.topic = p_topic AND o.realm = p_realm AND o.seq IS NULL
  ) THEN
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
