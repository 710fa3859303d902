-- A transaction that writes more than a thousand addresses or prefixes in more than 64 VRFs locked the whole of IPAM, and
-- writers of all other VRFs waited for its COMMIT. It now locks up to a thousand VRFs one by one, as many as it locks rows.
-- The keys of the locks are unchanged: transactions that began with the former function exclude those of this one.

-- Locks the VRFs of all rows that a transaction is about to write, before it writes the first. Does nothing after another
-- write of the transaction: locks are not upgraded, and each row is locked by itself.
CREATE OR REPLACE FUNCTION ipam_lock_vrfs(vrfs BIGINT[], row_count INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- The server's lock table has room for so many locks of one transaction.
    most CONSTANT INTEGER := 1000;
    ids CONSTANT BIGINT[] := ARRAY(SELECT DISTINCT coalesce(v, 0) FROM unnest(vrfs) v ORDER BY 1);
    id BIGINT;
BEGIN
    IF coalesce(current_setting('switchboard.ipam_locks', true), '') NOT IN ('', '0')
        OR coalesce(current_setting('switchboard.ipam_vrfs', true), '') <> '' THEN
        RETURN;
    END IF;
    IF row_count > most AND cardinality(ids) > most THEN
        PERFORM pg_advisory_xact_lock(100000, 0);
        PERFORM set_config('switchboard.ipam_locks', (most + 1)::text, true);
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(100000, 0);
    FOREACH id IN ARRAY ids LOOP
        IF row_count > most THEN
            PERFORM pg_advisory_xact_lock(ipam_vrf_lock(id));
        ELSE
            PERFORM pg_advisory_xact_lock_shared(ipam_vrf_lock(id));
        END IF;
    END LOOP;
    IF row_count > most THEN
        PERFORM set_config('switchboard.ipam_vrfs', ' ' || array_to_string(ids, ' ') || ' ', true);
    END IF;
END $$;
