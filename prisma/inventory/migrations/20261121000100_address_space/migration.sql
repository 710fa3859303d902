-- Rules of address space that must hold whoever writes: hierarchy of prefixes, uniqueness within a VRF (contract 3.5).

-- Whether duplicates are refused in that VRF. The global table follows the setting inventory.enforce_global_unique,
-- on unless the database, role or connection says off.
CREATE FUNCTION ipam_enforces_unique(vrf BIGINT) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN vrf IS NULL
        THEN coalesce(nullif(current_setting('inventory.enforce_global_unique', true), ''), 'on') <> 'off'
        ELSE coalesce((SELECT enforce_unique FROM ipam_vrf WHERE id = vrf), false) END
$$;

CREATE FUNCTION ipam_space_name(vrf BIGINT) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN vrf IS NULL THEN 'global table'
        ELSE (SELECT 'VRF ' || name || coalesce(' (' || rd || ')', '') FROM ipam_vrf WHERE id = vrf) END
$$;

-- Two prefixes of which one covers the other must not be written at the same time without seeing each other;
-- siblings may. The block that a prefix stands in is held alone, every block above it is shared, from the top down.
-- Blocks are cut every 8 bits (IPv4) or 16 bits (IPv6).
CREATE FUNCTION ipam_lock_prefix(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(network) WHEN 4 THEN 8 ELSE 16 END;
    own CONSTANT INTEGER := masklen(network) / step * step;
    space CONSTANT TEXT := coalesce(vrf, 0) || ' ';
    level INTEGER := 0;
BEGIN
    WHILE level < own LOOP
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(space || network(set_masklen(network::inet, level)), 100100));
        level := level + step;
    END LOOP;
    PERFORM pg_advisory_xact_lock(hashtextextended(space || network(set_masklen(network::inet, own)), 100100));
END $$;

-- The networks that could cover this one: one for each shorter mask.
CREATE FUNCTION ipam_covering(network CIDR) RETURNS inet[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    networks INET[] := '{}';
BEGIN
    FOR length IN 0 .. masklen(network) - 1 LOOP
        networks[length] := network(set_masklen(network::inet, length));
    END LOOP;
    RETURN networks;
END $$;

-- The greatest address of a network: all that it covers sorts between the network and this.
CREATE FUNCTION ipam_last_address(network CIDR) RETURNS inet LANGUAGE sql IMMUTABLE AS $$
    SELECT set_masklen(broadcast(network), CASE family(network) WHEN 4 THEN 32 ELSE 128 END)
$$;

CREATE FUNCTION ipam_refuse_duplicate_prefix(own BIGINT, network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ipam_prefix p WHERE p.prefix = network AND p.vrf_id IS NOT DISTINCT FROM vrf AND p.id <> own)
        AND ipam_enforces_unique(vrf) THEN
        RAISE EXCEPTION 'duplicate prefix' USING ERRCODE = 'check_violation', TABLE = 'ipam_prefix',
            CONSTRAINT = 'ipam_prefix_duplicate', COLUMN = 'prefix',
            DETAIL = format('Duplicate prefix found in %s: %s', ipam_space_name(vrf), network);
    END IF;
END $$;

CREATE FUNCTION ipam_shift_children(network CIDR, vrf BIGINT, shift INTEGER) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ipam_prefix_children AS c (prefix_id, slot, n)
    SELECT p.id, pg_backend_pid() % 32, shift FROM ipam_prefix p
    WHERE p.prefix >> network AND p.vrf_id IS NOT DISTINCT FROM vrf
    ON CONFLICT (prefix_id, slot) DO UPDATE SET n = c.n + excluded.n
$$;

-- The usual prefix covers nothing: it costs the locks and a few probes of the index by VRF and prefix, which was
-- measured to be several times faster here than the GiST index.
CREATE FUNCTION ipam_place_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    covering INET[] := ipam_covering(NEW.prefix);
    last_address INET := ipam_last_address(NEW.prefix);
    is_taken BOOLEAN;
BEGIN
    PERFORM ipam_lock_prefix(NEW.prefix, NEW.vrf_id);
    -- Two forms, because an index serves = and IS NULL but not IS NOT DISTINCT FROM.
    IF NEW.vrf_id IS NULL THEN
        NEW._depth := (SELECT count(*) FROM ipam_prefix p WHERE p.vrf_id IS NULL AND p.prefix = ANY (covering));
        SELECT count(*) FILTER (WHERE p.prefix <> NEW.prefix), coalesce(bool_or(p.prefix = NEW.prefix), false)
            INTO NEW._children, is_taken FROM ipam_prefix p
            WHERE p.vrf_id IS NULL AND p.prefix >= NEW.prefix AND p.prefix <= last_address;
    ELSE
        NEW._depth := (SELECT count(*) FROM ipam_prefix p WHERE p.vrf_id = NEW.vrf_id AND p.prefix = ANY (covering));
        SELECT count(*) FILTER (WHERE p.prefix <> NEW.prefix), coalesce(bool_or(p.prefix = NEW.prefix), false)
            INTO NEW._children, is_taken FROM ipam_prefix p
            WHERE p.vrf_id = NEW.vrf_id AND p.prefix >= NEW.prefix AND p.prefix <= last_address;
    END IF;
    IF is_taken THEN
        PERFORM ipam_refuse_duplicate_prefix(NEW.id, NEW.prefix, NEW.vrf_id);
    END IF;
    IF NEW._depth > 0 THEN
        PERFORM ipam_shift_children(NEW.prefix, NEW.vrf_id, 1);
    END IF;
    IF NEW._children > 0 THEN
        UPDATE ipam_prefix p SET _depth = p._depth + 1
            WHERE p.prefix << NEW.prefix AND p.vrf_id IS NOT DISTINCT FROM NEW.vrf_id;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION ipam_lift_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ipam_lock_prefix(OLD.prefix, OLD.vrf_id);
    PERFORM ipam_shift_children(OLD.prefix, OLD.vrf_id, -1);
    UPDATE ipam_prefix p SET _depth = p._depth - 1
        WHERE p.prefix << OLD.prefix AND p.vrf_id IS NOT DISTINCT FROM OLD.vrf_id;
    RETURN NULL;
END $$;

-- A moved prefix is rare: what it covered, what covered it, and itself are counted anew.
CREATE FUNCTION ipam_recount_around(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM ipam_prefix_children c USING ipam_prefix p
        WHERE p.id = c.prefix_id AND p.prefix >>= network AND p.vrf_id IS NOT DISTINCT FROM vrf;
    UPDATE ipam_prefix p SET _children =
            (SELECT count(*) FROM ipam_prefix q WHERE q.prefix << p.prefix AND q.vrf_id IS NOT DISTINCT FROM p.vrf_id)
        WHERE p.prefix >>= network AND p.vrf_id IS NOT DISTINCT FROM vrf;
    UPDATE ipam_prefix p SET _depth =
            (SELECT count(*) FROM ipam_prefix q WHERE q.prefix >> p.prefix AND q.vrf_id IS NOT DISTINCT FROM p.vrf_id)
        WHERE p.prefix <<= network AND p.vrf_id IS NOT DISTINCT FROM vrf;
END $$;

CREATE FUNCTION ipam_move_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ipam_lock_prefix(least(OLD.prefix, NEW.prefix), CASE WHEN OLD.prefix < NEW.prefix THEN OLD.vrf_id ELSE NEW.vrf_id END);
    PERFORM ipam_lock_prefix(greatest(OLD.prefix, NEW.prefix), CASE WHEN OLD.prefix < NEW.prefix THEN NEW.vrf_id ELSE OLD.vrf_id END);
    PERFORM ipam_refuse_duplicate_prefix(NEW.id, NEW.prefix, NEW.vrf_id);
    PERFORM ipam_recount_around(OLD.prefix, OLD.vrf_id);
    PERFORM ipam_recount_around(NEW.prefix, NEW.vrf_id);
    RETURN NULL;
END $$;

CREATE TRIGGER place_prefix BEFORE INSERT ON ipam_prefix FOR EACH ROW EXECUTE FUNCTION ipam_place_prefix();
CREATE TRIGGER lift_prefix AFTER DELETE ON ipam_prefix FOR EACH ROW EXECUTE FUNCTION ipam_lift_prefix();
CREATE TRIGGER move_prefix AFTER UPDATE OF prefix, vrf_id ON ipam_prefix FOR EACH ROW
    WHEN (OLD.prefix IS DISTINCT FROM NEW.prefix OR OLD.vrf_id IS DISTINCT FROM NEW.vrf_id)
    EXECUTE FUNCTION ipam_move_prefix();

-- One host is written by one transaction at a time, so that of two duplicates the second is refused.
-- Roles that several devices share on purpose may repeat among themselves.
CREATE FUNCTION ipam_place_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shared_roles CONSTANT TEXT[] := ARRAY['anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(NEW.vrf_id, 0) || ' ' || host(NEW.address), 100200));
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

CREATE TRIGGER place_address BEFORE INSERT ON ipam_ipaddress
    FOR EACH ROW EXECUTE FUNCTION ipam_place_address();
CREATE TRIGGER move_address BEFORE UPDATE OF address, vrf_id, role ON ipam_ipaddress FOR EACH ROW
    WHEN (OLD.address IS DISTINCT FROM NEW.address OR OLD.vrf_id IS DISTINCT FROM NEW.vrf_id OR OLD.role IS DISTINCT FROM NEW.role)
    EXECUTE FUNCTION ipam_place_address();
