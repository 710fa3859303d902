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
CREATE FUNCTION ipam_lock_prefix(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step INTEGER := CASE family(network) WHEN 4 THEN 8 ELSE 16 END;
    own INTEGER := masklen(network) / step * step;
    level INTEGER := 0;
    block BIGINT;
BEGIN
    WHILE level <= own LOOP
        block := hashtextextended(coalesce(vrf, 0) || ' ' || network(set_masklen(network::inet, level)), 100100);
        IF level = own THEN
            PERFORM pg_advisory_xact_lock(block);
        ELSE
            PERFORM pg_advisory_xact_lock_shared(block);
        END IF;
        level := level + step;
    END LOOP;
END $$;

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

CREATE FUNCTION ipam_place_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ipam_lock_prefix(NEW.prefix, NEW.vrf_id);
    PERFORM ipam_refuse_duplicate_prefix(NEW.id, NEW.prefix, NEW.vrf_id);
    SELECT count(*) INTO NEW._depth FROM ipam_prefix p
        WHERE p.prefix >> NEW.prefix AND p.vrf_id IS NOT DISTINCT FROM NEW.vrf_id;
    IF NEW._depth > 0 THEN
        PERFORM ipam_shift_children(NEW.prefix, NEW.vrf_id, 1);
    END IF;
    WITH below AS (
        UPDATE ipam_prefix p SET _depth = p._depth + 1
        WHERE p.prefix << NEW.prefix AND p.vrf_id IS NOT DISTINCT FROM NEW.vrf_id RETURNING 1
    ) SELECT count(*) INTO NEW._children FROM below;
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
