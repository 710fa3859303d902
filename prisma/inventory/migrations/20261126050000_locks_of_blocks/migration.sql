-- Writers of aggregates waited for each other until COMMIT, and so did writers of IP ranges in one VRF. They now lock the
-- blocks of addresses that they write: a transaction waits only for another one whose block contains its own, or lies in it.
-- The triggers find the rival and name it; they no longer lock. The exclusion constraints also refuse rivals that other
-- programs write at the same time.

-- Returns two blocks that cover a range, each less than twice as large as its part of the range.
CREATE FUNCTION ipam_range_blocks(first INET, last INET) RETURNS cidr[] LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY[
        inet_merge(host(first)::inet, host(broadcast(set_masklen(host(first)::inet, half)))::inet),
        inet_merge(host(network(set_masklen(host(last)::inet, half)))::inet, host(last)::inet)]
    FROM (SELECT least(masklen(inet_merge(host(first)::inet, host(last)::inet)) + 1,
        CASE family(first) WHEN 4 THEN 32 ELSE 128 END) AS half) halves
$$;

-- Locks blocks of spaces (VRFs; 0 is the global table) for a transaction that is about to write them, before its first row:
--
--   up to 1,000 locks   each block alone, and shares all blocks that contain it
--   of more             all addresses of the spaces, alone
--   of more spaces      all spaces of this kind, alone
--
-- The order is one for all transactions, and a block that is both written and contained is locked once, so that no lock is
-- upgraded. Two transactions that write a common address have blocks that contain each other: one has locked alone what the
-- other one wants.
CREATE FUNCTION ipam_lock_blocks(kind INTEGER, spaces BIGINT[], blocks CIDR[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT INTEGER := 1000;
    depth INTEGER;
    keys BIGINT[];
    alone BOOLEAN[];
BEGIN
    FOREACH depth IN ARRAY ARRAY[128, 0] LOOP
        CONTINUE WHEN depth > 0 AND cardinality(blocks) > most;
        SELECT array_agg(key ORDER BY key), array_agg(is_alone ORDER BY key) INTO keys, alone FROM (
            SELECT hashtextextended(coalesce(space, 0) || ' ' || network(set_masklen(block::inet, length)), kind) AS key,
                bool_or(length = least(masklen(block), depth)) AS is_alone
            FROM unnest(spaces, blocks) AS given(space, block),
                generate_series(0, least(masklen(block), depth)) AS length
            GROUP BY 1) locks;
        EXIT WHEN cardinality(keys) <= most;
    END LOOP;
    IF cardinality(keys) > most THEN
        PERFORM pg_advisory_xact_lock(kind, 0);
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(kind, 0);
    FOR i IN 1 .. coalesce(cardinality(keys), 0) LOOP
        IF alone[i] THEN
            PERFORM pg_advisory_xact_lock(keys[i]);
        ELSE
            PERFORM pg_advisory_xact_lock_shared(keys[i]);
        END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ipam_place_aggregate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    rival CIDR;
    words TEXT;
BEGIN
    SELECT a.prefix INTO rival FROM ipam_aggregate a
        WHERE a.prefix::inet && NEW.prefix::inet AND a.id <> NEW.id ORDER BY a.prefix LIMIT 1;
    IF rival IS NULL THEN
        RETURN NEW;
    END IF;
    words := CASE WHEN rival >>= NEW.prefix
        THEN format('Aggregates cannot overlap. %s is already covered by an existing aggregate (%s).', NEW.prefix, rival)
        ELSE format('Prefixes cannot overlap aggregates. %s covers an existing aggregate (%s).', NEW.prefix, rival) END;
    RAISE EXCEPTION 'overlapping aggregate' USING ERRCODE = 'check_violation', TABLE = 'ipam_aggregate',
        CONSTRAINT = 'ipam_aggregate_overlap', COLUMN = 'prefix', DETAIL = words;
END $$;

CREATE OR REPLACE FUNCTION ipam_place_range() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    rival TEXT;
BEGIN
    SELECT ipam_range_name(r.start_address, r.end_address) INTO rival FROM ipam_iprange r
        WHERE ipam_inetrange(host(r.start_address)::inet, host(r.end_address)::inet, '[]')
                && ipam_inetrange(host(NEW.start_address)::inet, host(NEW.end_address)::inet, '[]')
            AND r.vrf_id IS NOT DISTINCT FROM NEW.vrf_id AND r.id <> NEW.id
        ORDER BY r.start_address LIMIT 1;
    IF rival IS NOT NULL THEN
        RAISE EXCEPTION 'overlapping range' USING ERRCODE = 'check_violation', TABLE = 'ipam_iprange',
            CONSTRAINT = 'ipam_iprange_overlap', DETAIL = format('Defined addresses overlap with range %s in VRF %s', rival,
                coalesce((SELECT name || coalesce(' (' || rd || ')', '') FROM ipam_vrf WHERE id = NEW.vrf_id), 'None'));
    END IF;
    RETURN NEW;
END $$;
