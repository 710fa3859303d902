-- The lock on the parent was a statement of its own, held while the next one was on its way.
CREATE FUNCTION ipam_allocate_addresses(parent TEXT, first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(parent, 100200));
    RETURN QUERY SELECT * FROM ipam_take_addresses(first, last, vrf, everywhere, wanted);
END $$;

-- Went through every address of a prefix, sorted, to find one. Now it looks at ever larger windows, passes over those
-- that are full by counting, and stops at the first that has room. Places are counted from `first`.
CREATE OR REPLACE FUNCTION ipam_free_addresses(first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- The addresses of a large IPv6 network are more than a bigint holds, and more than anybody asks for.
    furthest CONSTANT BIGINT := CASE WHEN family(first) = 4 THEN last - first
        WHEN network(set_masklen(first, 66)) = network(set_masklen(last, 66)) THEN last - first
        ELSE 4611686018427387903 END;
    largest_step CONSTANT BIGINT := 65536;
    place BIGINT := 0;
    step BIGINT := 256;
    upto BIGINT;
    taken BIGINT;
    found INTEGER := 0;
    used RECORD;
BEGIN
    IF wanted <= 0 OR first > last THEN
        RETURN;
    END IF;
    WHILE place <= furthest LOOP
        upto := least(place + step - 1, furthest);
        step := least(step * 2, largest_step);
        SELECT count(DISTINCT host(a.address)::inet) INTO taken FROM ipam_ipaddress a
            WHERE host(a.address)::inet BETWEEN first + place AND first + upto
                AND (everywhere OR a.vrf_id IS NOT DISTINCT FROM vrf);
        IF taken = upto - place + 1 THEN
            place := upto + 1;
            CONTINUE;
        END IF;
        FOR used IN
            SELECT host(a.address)::inet - first AS low, host(a.address)::inet - first AS high FROM ipam_ipaddress a
                WHERE host(a.address)::inet BETWEEN first + place AND first + upto
                    AND (everywhere OR a.vrf_id IS NOT DISTINCT FROM vrf)
            UNION ALL
            SELECT greatest(host(r.start_address)::inet, first + place) - first, least(host(r.end_address)::inet, first + upto) - first
                FROM ipam_iprange r
                WHERE ipam_inetrange(host(r.start_address)::inet, host(r.end_address)::inet, '[]')
                        && ipam_inetrange(first + place, first + upto, '[]')
                    AND r.mark_populated AND (everywhere OR r.vrf_id IS NOT DISTINCT FROM vrf)
            ORDER BY low
        LOOP
            WHILE place < used.low LOOP
                RETURN NEXT first + place;
                found := found + 1;
                IF found = wanted THEN
                    RETURN;
                END IF;
                place := place + 1;
            END LOOP;
            place := greatest(place, used.high + 1);
        END LOOP;
        WHILE place <= upto LOOP
            RETURN NEXT first + place;
            found := found + 1;
            IF found = wanted THEN
                RETURN;
            END IF;
            place := place + 1;
        END LOOP;
    END LOOP;
END $$;
