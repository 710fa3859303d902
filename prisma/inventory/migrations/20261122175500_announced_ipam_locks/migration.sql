-- A transaction that writes more than a thousand addresses or prefixes takes the whole space instead of a lock for each.
-- It found that out on the way, with a share of the space in hand, and two of them waited for each other until the server
-- ended one. Now who knows beforehand how many rows it writes says so (switchboard.rows), and takes the space first of all.
CREATE FUNCTION ipam_enter_space() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT INTEGER := 1000;
    -- Empty or absent at the beginning of a transaction.
    held CONSTANT INTEGER := coalesce(nullif(current_setting('switchboard.ipam_locks', true), ''), '0')::integer;
    announced CONSTANT INTEGER := coalesce(nullif(current_setting('switchboard.rows', true), ''), '0')::integer;
BEGIN
    IF held > most THEN
        RETURN true;
    END IF;
    IF held = most OR (held = 0 AND announced > most) THEN
        PERFORM pg_advisory_xact_lock(100000, 0);
        PERFORM set_config('switchboard.ipam_locks', (most + 1)::text, true);
        RETURN true;
    END IF;
    IF held = 0 THEN
        PERFORM pg_advisory_xact_lock_shared(100000, 0);
    END IF;
    PERFORM set_config('switchboard.ipam_locks', (held + 1)::text, true);
    RETURN false;
END $$;

CREATE FUNCTION ipam_lock_address(address INET, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT ipam_enter_space() THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(vrf, 0) || ' ' || host(address), 100200));
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ipam_lock_prefix(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(network) WHEN 4 THEN 4 ELSE 8 END;
    own CONSTANT INTEGER := masklen(network) / step * step;
    space CONSTANT TEXT := coalesce(vrf, 0) || ' ';
    level INTEGER := 0;
BEGIN
    IF ipam_enter_space() THEN
        RETURN;
    END IF;
    WHILE level < own LOOP
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(space || network(set_masklen(network::inet, level)), 100100));
        level := level + step;
    END LOOP;
    PERFORM pg_advisory_xact_lock(hashtextextended(space || network(set_masklen(network::inet, own)), 100100));
END $$;

CREATE OR REPLACE FUNCTION ipam_place_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shared_roles CONSTANT TEXT[] := ARRAY['anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'];
BEGIN
    PERFORM ipam_lock_address(NEW.address, NEW.vrf_id);
    IF EXISTS (
        SELECT FROM ipam_ipaddress a
        WHERE host(a.address)::inet = host(NEW.address)::inet AND a.vrf_id IS NOT DISTINCT FROM NEW.vrf_id AND a.id <> NEW.id
            AND NOT (coalesce(a.role, '') = ANY (shared_roles) AND coalesce(NEW.role, '') = ANY (shared_roles))
    ) AND ipam_enforces_unique(NEW.vrf_id) THEN
        RAISE EXCEPTION 'duplicate address' USING ERRCODE = 'check_violation', TABLE = 'ipam_ipaddress',
            CONSTRAINT = 'ipam_ipaddress_duplicate', COLUMN = 'address',
            DETAIL = format('Duplicate IP address found in %s: %s', ipam_space_name(NEW.vrf_id), NEW.address);
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION ipam_take_addresses(first INET, last INET, vrf BIGINT, everywhere BOOLEAN, wanted INTEGER)
RETURNS SETOF inet LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    taken INET[] := '{}';
    candidate INET;
    was_lost BOOLEAN := true;
BEGIN
    -- Each is locked here, and again when it is written.
    PERFORM set_config('switchboard.rows', (2 * wanted)::text, true);
    WHILE was_lost AND cardinality(taken) < wanted LOOP
        was_lost := false;
        FOR candidate IN SELECT * FROM ipam_free_addresses(first, last, vrf, everywhere, wanted) LOOP
            CONTINUE WHEN candidate = ANY (taken);
            PERFORM ipam_lock_address(candidate, vrf);
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

DROP FUNCTION ipam_lock_one(TEXT, BIGINT);
DROP FUNCTION ipam_has_whole_space();
