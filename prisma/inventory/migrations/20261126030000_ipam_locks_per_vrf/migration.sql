-- A transaction that writes more than a thousand addresses or prefixes locked the whole of IPAM until its COMMIT, and
-- writers of all other VRFs waited. It now locks the VRFs that it writes. Rules of addresses and prefixes compare rows of
-- one VRF (of the global table: rows without a VRF), so that two transactions must see each other only within one VRF:
--
--   each writer                 shares the lock of IPAM (100000, 0)
--   of up to 1,000 rows         shares the lock of the VRF, and locks each address or network
--   of more, in up to 64 VRFs   locks the VRFs, in ascending order
--   of more, in more VRFs       locks IPAM instead, alone
--
-- Two writers of one address or network always have a pair of these locks that excludes the other.

-- The lock of a VRF; null is the global table.
CREATE FUNCTION ipam_vrf_lock(vrf BIGINT) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(coalesce(vrf, 0)::text, 100001)
$$;

-- Locks the VRFs of all rows that a transaction is about to write, before it writes the first. Does nothing after another
-- write of the transaction: locks are not upgraded, and each row is locked by itself.
CREATE FUNCTION ipam_lock_vrfs(vrfs BIGINT[], row_count INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    most_rows CONSTANT INTEGER := 1000;
    most_vrfs CONSTANT INTEGER := 64;
    ids CONSTANT BIGINT[] := ARRAY(SELECT DISTINCT coalesce(v, 0) FROM unnest(vrfs) v ORDER BY 1);
    id BIGINT;
BEGIN
    IF coalesce(current_setting('switchboard.ipam_locks', true), '') NOT IN ('', '0')
        OR coalesce(current_setting('switchboard.ipam_vrfs', true), '') <> '' THEN
        RETURN;
    END IF;
    IF row_count > most_rows AND cardinality(ids) > most_vrfs THEN
        PERFORM pg_advisory_xact_lock(100000, 0);
        PERFORM set_config('switchboard.ipam_locks', (most_rows + 1)::text, true);
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(100000, 0);
    FOREACH id IN ARRAY ids LOOP
        IF row_count > most_rows THEN
            PERFORM pg_advisory_xact_lock(ipam_vrf_lock(id));
        ELSE
            PERFORM pg_advisory_xact_lock_shared(ipam_vrf_lock(id));
        END IF;
    END LOOP;
    IF row_count > most_rows THEN
        PERFORM set_config('switchboard.ipam_vrfs', ' ' || array_to_string(ids, ' ') || ' ', true);
    END IF;
END $$;

-- Enters a VRF to write a row. Returns true if the transaction has locked the VRF or IPAM, so that the row needs no lock.
CREATE FUNCTION ipam_enter_vrf(vrf BIGINT) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT INTEGER := 1000;
    -- Empty or absent at the beginning of a transaction.
    row_locks CONSTANT INTEGER := coalesce(nullif(current_setting('switchboard.ipam_locks', true), ''), '0')::integer;
    announced CONSTANT INTEGER := coalesce(nullif(current_setting('switchboard.rows', true), ''), '0')::integer;
    locked_vrfs CONSTANT TEXT := coalesce(current_setting('switchboard.ipam_vrfs', true), '');
BEGIN
    IF row_locks > most OR (locked_vrfs <> '' AND position(' ' || coalesce(vrf, 0) || ' ' IN locked_vrfs) > 0) THEN
        RETURN true;
    END IF;
    -- ipam_allocate_addresses announces how many rows follow, all in one VRF.
    IF row_locks = 0 AND announced > most AND locked_vrfs = '' THEN
        PERFORM ipam_lock_vrfs(ARRAY[vrf], announced);
        RETURN true;
    END IF;
    -- Only statements of other programs come here: the API locks the VRFs of many rows beforehand.
    IF row_locks = most THEN
        PERFORM pg_advisory_xact_lock(100000, 0);
        PERFORM set_config('switchboard.ipam_locks', (most + 1)::text, true);
        RETURN true;
    END IF;
    IF row_locks = 0 THEN
        PERFORM pg_advisory_xact_lock_shared(100000, 0);
    END IF;
    PERFORM pg_advisory_xact_lock_shared(ipam_vrf_lock(vrf));
    PERFORM set_config('switchboard.ipam_locks', (row_locks + 1)::text, true);
    RETURN false;
END $$;

CREATE OR REPLACE FUNCTION ipam_lock_address(address INET, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT ipam_enter_vrf(vrf) THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(vrf, 0) || ' ' || host(address), 100200));
    END IF;
END $$;

-- Locks an address for this transaction. Returns false if another transaction has locked it, unless `patient` waits.
CREATE OR REPLACE FUNCTION ipam_hold_address(address INET, vrf BIGINT, patient BOOLEAN) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    key CONSTANT BIGINT := hashtextextended(coalesce(vrf, 0) || ' ' || host(address), 100200);
BEGIN
    IF ipam_enter_vrf(vrf) THEN
        RETURN true;
    END IF;
    IF patient THEN
        PERFORM pg_advisory_xact_lock(key);
        RETURN true;
    END IF;
    IF pg_try_advisory_xact_lock(key) THEN
        RETURN true;
    END IF;
    -- Never below one: the transaction shares the locks of IPAM and of the VRF.
    PERFORM set_config('switchboard.ipam_locks', greatest(1, current_setting('switchboard.ipam_locks')::integer - 1)::text, true);
    RETURN false;
END $$;

CREATE OR REPLACE FUNCTION ipam_lock_prefix(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(network) WHEN 4 THEN 4 ELSE 8 END;
    own CONSTANT INTEGER := masklen(network) / step * step;
    space CONSTANT TEXT := coalesce(vrf, 0) || ' ';
    level INTEGER := 0;
BEGIN
    IF ipam_enter_vrf(vrf) THEN
        RETURN;
    END IF;
    WHILE level < own LOOP
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(space || network(set_masklen(network::inet, level)), 100100));
        level := level + step;
    END LOOP;
    PERFORM pg_advisory_xact_lock(hashtextextended(space || network(set_masklen(network::inet, own)), 100100));
END $$;

CREATE OR REPLACE FUNCTION ipam_claim_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(NEW.prefix) WHEN 4 THEN 4 ELSE 8 END;
    space CONSTANT TEXT := coalesce(NEW.vrf_id, 0) || ' ';
    level INTEGER := 0;
    is_taken BOOLEAN;
BEGIN
    IF NOT ipam_enter_vrf(NEW.vrf_id) THEN
        -- The blocks that ipam_lock_prefix locks for prefixes that cover the network, in its order.
        WHILE level < masklen(NEW.prefix) LOOP
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(space || network(set_masklen(NEW.prefix::inet, level)), 100100));
            level := level + step;
        END LOOP;
        -- Of two transactions that write one network, the second sees the row of the first.
        PERFORM pg_advisory_xact_lock(hashtextextended(space || NEW.prefix, 100101));
    END IF;
    -- Two forms: an index serves = and IS NULL, but not IS NOT DISTINCT FROM.
    IF NEW.vrf_id IS NULL THEN
        is_taken := EXISTS (SELECT FROM ipam_prefix p WHERE p.vrf_id IS NULL AND p.prefix = NEW.prefix AND p.id <> NEW.id);
    ELSE
        is_taken := EXISTS (SELECT FROM ipam_prefix p WHERE p.vrf_id = NEW.vrf_id AND p.prefix = NEW.prefix AND p.id <> NEW.id);
    END IF;
    IF is_taken THEN
        PERFORM ipam_refuse_duplicate_prefix(NEW.id, NEW.prefix, NEW.vrf_id);
    END IF;
    RETURN NEW;
END $$;

DROP FUNCTION ipam_enter_space();
