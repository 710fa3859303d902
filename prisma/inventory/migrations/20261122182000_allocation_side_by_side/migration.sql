-- Whoever gave out addresses of a parent held a lock on it until COMMIT, and counted from its first address on what is
-- taken. Now those who give out at once pass over what another has in hand, and begin where the parent was last found to
-- be full.

-- Grows when an address may have become free: what was known to be full before is not known any more. Who frees holds
-- the lock from before he says so until he is done.
CREATE SEQUENCE ipam_freed;
SELECT nextval('ipam_freed');

CREATE FUNCTION ipam_note_freed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(100000, 1);
    PERFORM nextval('ipam_freed');
    RETURN NULL;
END $$;
CREATE TRIGGER free_removed AFTER DELETE ON ipam_ipaddress FOR EACH STATEMENT EXECUTE FUNCTION ipam_note_freed();
CREATE TRIGGER free_truncated AFTER TRUNCATE ON ipam_ipaddress FOR EACH STATEMENT EXECUTE FUNCTION ipam_note_freed();
CREATE TRIGGER free_moved AFTER UPDATE OF address, vrf_id ON ipam_ipaddress FOR EACH ROW
    WHEN (host(OLD.address) IS DISTINCT FROM host(NEW.address) OR OLD.vrf_id IS DISTINCT FROM NEW.vrf_id)
    EXECUTE FUNCTION ipam_note_freed();
CREATE TRIGGER free_range AFTER DELETE OR UPDATE OR TRUNCATE ON ipam_iprange FOR EACH STATEMENT EXECUTE FUNCTION ipam_note_freed();

-- Up to `place` nothing of a parent is free, as long as it has the same bounds and nothing was freed since. Not logged:
-- what is lost is searched again.
CREATE UNLOGGED TABLE ipam_full_space (
    parent VARCHAR(100) PRIMARY KEY,
    first INET NOT NULL,
    last INET NOT NULL,
    vrf_id BIGINT,
    everywhere BOOLEAN NOT NULL,
    place INET NOT NULL,
    freed BIGINT NOT NULL
);

-- Holds an address for this transaction. False when another has it, unless one is to wait for that.
CREATE FUNCTION ipam_hold_address(address INET, vrf BIGINT, patient BOOLEAN) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    key CONSTANT BIGINT := hashtextextended(coalesce(vrf, 0) || ' ' || host(address), 100200);
BEGIN
    IF ipam_enter_space() THEN
        RETURN true;
    END IF;
    IF patient THEN
        PERFORM pg_advisory_xact_lock(key);
        RETURN true;
    END IF;
    RETURN pg_try_advisory_xact_lock(key);
END $$;

-- What others hold is passed over, because they nearly always keep it. Only where nothing else is left is it waited for:
-- two who then wait for each other are told apart by the server, and one of them begins again.
CREATE OR REPLACE FUNCTION ipam_allocate_addresses(parent TEXT, first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    block CONSTANT INTEGER := CASE family(first) WHEN 4 THEN 26 ELSE 122 END;
    freed_before BIGINT;
    nobody_frees BOOLEAN;
    known INET;
    place INET;
    candidate INET;
    lowest INET;
    taken INET[] := '{}';
    batch INTEGER := wanted;
    offered INTEGER;
    was_held BOOLEAN := false;
    patient BOOLEAN := false;
BEGIN
    IF wanted <= 0 THEN
        RETURN;
    END IF;
    -- Each is locked here, and again when it is written.
    PERFORM set_config('switchboard.rows', (2 * wanted)::text, true);
    -- In this order: who frees after the number was read changes it, who did before is done and seen below, or holds the
    -- lock still.
    SELECT last_value INTO freed_before FROM ipam_freed;
    nobody_frees := pg_try_advisory_lock(100000, 1);
    IF nobody_frees THEN
        PERFORM pg_advisory_unlock(100000, 1);
    END IF;
    SELECT s.place INTO known FROM ipam_full_space s
        WHERE s.parent = ipam_allocate_addresses.parent AND s.freed = freed_before
            AND (s.first, s.last, s.everywhere) = (ipam_allocate_addresses.first, ipam_allocate_addresses.last, ipam_allocate_addresses.everywhere)
            AND s.vrf_id IS NOT DISTINCT FROM vrf;
    known := coalesce(known, first);
    place := known;
    LOOP
        offered := 0;
        FOR candidate IN SELECT * FROM ipam_free_addresses(place, last, vrf, everywhere, batch) LOOP
            offered := offered + 1;
            lowest := coalesce(lowest, candidate);
            CONTINUE WHEN patient AND candidate = ANY (taken);
            IF NOT ipam_hold_address(candidate, vrf, patient) THEN
                was_held := true;
            ELSIF NOT EXISTS (SELECT FROM ipam_ipaddress a WHERE host(a.address)::inet = candidate
                AND (everywhere OR a.vrf_id IS NOT DISTINCT FROM vrf)) THEN
                taken := taken || candidate;
                EXIT WHEN cardinality(taken) = wanted;
            END IF;
        END LOOP;
        EXIT WHEN cardinality(taken) = wanted;
        IF offered = batch AND candidate < last THEN
            place := candidate + 1;
            batch := greatest(16, batch * 2);
        ELSE
            EXIT WHEN patient OR NOT was_held;
            patient := true;
            place := known;
        END IF;
    END LOOP;
    -- Seldom, and never two at once: nobody waits for this row.
    IF nobody_frees AND network(set_masklen(lowest, block)) <> network(set_masklen(known, block))
        AND pg_try_advisory_xact_lock(hashtextextended(parent, 100200)) THEN
        INSERT INTO ipam_full_space AS s (parent, first, last, vrf_id, everywhere, place, freed)
            VALUES (parent, first, last, vrf, everywhere, lowest, freed_before)
            ON CONFLICT ON CONSTRAINT ipam_full_space_pkey DO UPDATE SET (first, last, vrf_id, everywhere, place, freed)
                = (excluded.first, excluded.last, excluded.vrf_id, excluded.everywhere, excluded.place, excluded.freed);
    END IF;
    RETURN QUERY SELECT unnest(taken);
END $$;

DROP FUNCTION ipam_take_addresses(INET, INET, BIGINT, BOOLEAN, INTEGER);
