-- Addresses are given out of prefixes and ranges (contract 2.1).

-- The first addresses between two that no address has and no populated range covers, in order.
CREATE FUNCTION ipam_free_addresses(first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql STABLE AS $$
DECLARE
    next INET := first;
    found INTEGER := 0;
    used RECORD;
BEGIN
    IF wanted <= 0 OR first > last THEN
        RETURN;
    END IF;
    FOR used IN
        SELECT host(a.address)::inet AS low, host(a.address)::inet AS high FROM ipam_ipaddress a
            WHERE host(a.address)::inet BETWEEN first AND last AND (everywhere OR a.vrf_id IS NOT DISTINCT FROM vrf)
        UNION ALL
        SELECT host(r.start_address)::inet, host(r.end_address)::inet FROM ipam_iprange r
            WHERE ipam_inetrange(host(r.start_address)::inet, host(r.end_address)::inet, '[]') && ipam_inetrange(first, last, '[]')
                AND r.mark_populated AND (everywhere OR r.vrf_id IS NOT DISTINCT FROM vrf)
        ORDER BY low
    LOOP
        WHILE next < used.low LOOP
            RETURN NEXT next;
            found := found + 1;
            IF found = wanted THEN
                RETURN;
            END IF;
            next := next + 1;
        END LOOP;
        IF used.high >= last THEN
            RETURN;
        END IF;
        next := greatest(next, used.high + 1);
    END LOOP;
    LOOP
        RETURN NEXT next;
        found := found + 1;
        EXIT WHEN found = wanted OR next >= last;
        next := next + 1;
    END LOOP;
END $$;

-- Takes free addresses for this transaction. Each is held by the lock under which addresses are written (migration
-- address_space) and looked at again: whoever writes one by name, or gives out of a prefix above, has it or waits.
CREATE FUNCTION ipam_take_addresses(first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    taken INET[] := '{}';
    candidate INET;
    was_lost BOOLEAN := true;
BEGIN
    WHILE was_lost AND cardinality(taken) < wanted LOOP
        was_lost := false;
        FOR candidate IN SELECT * FROM ipam_free_addresses(first, last, vrf, everywhere, wanted) LOOP
            CONTINUE WHEN candidate = ANY (taken);
            PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(vrf, 0) || ' ' || host(candidate), 100200));
            IF EXISTS (SELECT FROM ipam_ipaddress a WHERE host(a.address)::inet = candidate
                AND (everywhere OR a.vrf_id IS NOT DISTINCT FROM vrf)) THEN
                was_lost := true;
            ELSE
                taken := taken || candidate;
            END IF;
        END LOOP;
    END LOOP;
    RETURN QUERY SELECT unnest(taken[:wanted]);
END $$;
