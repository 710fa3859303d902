-- Blocks were cut every 8 bits (16 for IPv6), so that all /25 to /31 of one /24 stood in line behind each other's
-- commits. Cut every 4 bits (8 for IPv6) they seldom meet; the few more shared locks cost microseconds.
CREATE OR REPLACE FUNCTION ipam_lock_prefix(network CIDR, vrf BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(network) WHEN 4 THEN 4 ELSE 8 END;
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
