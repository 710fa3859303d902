-- Guards of transactions whose COMMIT is sent by another library. Such a transaction inserts a guard when its handle is
-- created, and deletes the guard before it inserts its outbox rows. A guard that exists at COMMIT shows that outbox rows
-- would be lost, so the COMMIT is refused. The table has no committed rows.
CREATE TABLE queue.commit_guard (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);

CREATE FUNCTION queue.refuse_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM queue.commit_guard g WHERE g.id = NEW.id) THEN
    RAISE EXCEPTION 'The outbox handle of this transaction was not flushed: call outbox.flush(tx) last'
      USING ERRCODE = 'QUE02';
  END IF;
  RETURN NULL;
END $$;

-- Also fires at the end of an INSERT outside a transaction, so that a handle without a transaction is refused.
CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON queue.commit_guard
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION queue.refuse_commit();

-- Roles that may insert rows into the outbox may use guards.
DO $$
DECLARE
  v_grantee text;
BEGIN
  FOR v_grantee IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'queue.outbox'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON queue.commit_guard TO %s', v_grantee);
  END LOOP;
END $$;
