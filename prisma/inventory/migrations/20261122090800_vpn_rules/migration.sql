-- What else ends at the object, and how many ends an L2VPN has, is asked before the row is written, because the answer
-- names it; the unique indexes decide between two that ask at once.

CREATE FUNCTION vpn_check_tunnel_termination() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong text;
BEGIN
    SELECT format('%s is already attached to a tunnel (%s).',
            CASE NEW.termination_type
                WHEN 'dcim.interface' THEN (SELECT i.name FROM dcim_interface i WHERE i.id = NEW.termination_id)
                ELSE (SELECT i.name FROM virtualization_vminterface i WHERE i.id = NEW.termination_id)
            END,
            (SELECT tunnel.name FROM vpn_tunnel tunnel WHERE tunnel.id = other.tunnel_id))
      INTO wrong FROM vpn_tunneltermination other
     WHERE other.termination_type = NEW.termination_type AND other.termination_id = NEW.termination_id AND other.id <> NEW.id;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'the object has a tunnel' USING ERRCODE = 'check_violation', TABLE = 'vpn_tunneltermination',
            CONSTRAINT = 'vpn_tunneltermination_attached', DETAIL = wrong;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_termination BEFORE INSERT OR UPDATE OF termination_type, termination_id ON vpn_tunneltermination
    FOR EACH ROW EXECUTE FUNCTION vpn_check_tunnel_termination();

CREATE FUNCTION vpn_check_l2vpn_object() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    object_name text;
BEGIN
    IF EXISTS (SELECT FROM vpn_l2vpntermination other
            WHERE other.assigned_object_type = NEW.assigned_object_type AND other.assigned_object_id = NEW.assigned_object_id
              AND other.id <> NEW.id) THEN
        object_name := CASE NEW.assigned_object_type
            WHEN 'dcim.interface' THEN (SELECT i.name FROM dcim_interface i WHERE i.id = NEW.assigned_object_id)
            WHEN 'ipam.vlan' THEN (SELECT v.name || ' (' || v.vid || ')' FROM ipam_vlan v WHERE v.id = NEW.assigned_object_id)
            ELSE (SELECT i.name FROM virtualization_vminterface i WHERE i.id = NEW.assigned_object_id)
        END;
        RAISE EXCEPTION 'the object has an L2VPN' USING ERRCODE = 'check_violation', TABLE = 'vpn_l2vpntermination',
            CONSTRAINT = 'vpn_l2vpntermination_assigned',
            DETAIL = format('L2VPN Termination already assigned (%s)', object_name);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_assigned_object BEFORE INSERT OR UPDATE OF assigned_object_type, assigned_object_id
    ON vpn_l2vpntermination FOR EACH ROW EXECUTE FUNCTION vpn_check_l2vpn_object();

-- Types that connect two points. The row of the L2VPN is locked, so that two writers count one after the other.
CREATE FUNCTION vpn_check_l2vpn_ends() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    label text;
    others integer;
BEGIN
    SELECT CASE type WHEN 'vpws' THEN 'VPWS' WHEN 'epl' THEN 'EPL' WHEN 'evpl' THEN 'EVPL'
            WHEN 'ep-lan' THEN 'Ethernet Private LAN' WHEN 'ep-tree' THEN 'Ethernet Private Tree' END
      INTO label FROM vpn_l2vpn WHERE id = NEW.l2vpn_id FOR NO KEY UPDATE;
    IF label IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT count(*) INTO others FROM vpn_l2vpntermination WHERE l2vpn_id = NEW.l2vpn_id AND id <> NEW.id;
    IF others >= 2 THEN
        RAISE EXCEPTION 'an L2VPN between two points has both' USING ERRCODE = 'check_violation', TABLE = 'vpn_l2vpntermination',
            CONSTRAINT = 'vpn_l2vpntermination_ends',
            DETAIL = format('%s L2VPNs cannot have more than two terminations; found %s already defined.', label, others);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_ends BEFORE INSERT OR UPDATE OF l2vpn_id ON vpn_l2vpntermination
    FOR EACH ROW EXECUTE FUNCTION vpn_check_l2vpn_ends();
