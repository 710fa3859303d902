-- What interfaces of devices may stand below and beside, and which VLANs they may carry (contract 3.3).

-- Interfaces relate to those of their device, or of one in the same virtual chassis; VLANs are of its site or of none.
CREATE FUNCTION dcim_place_interface() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    problem TEXT;
    words TEXT;
BEGIN
    SELECT p.field, p.words INTO problem, words FROM (
        SELECT r.n, r.field, CASE
                WHEN i.id = NEW.id THEN r.itself
                WHEN own.virtual_chassis_id IS NULL THEN format('The selected %s interface (%s) belongs to a different device (%s)%s',
                    r.noun, called.name, dcim_device_display(i.device_id), r.stop)
                ELSE format('The selected %s interface (%s) belongs to %s, which is not part of virtual chassis %s.',
                    r.noun, called.name, dcim_device_display(i.device_id), c.name)
            END AS words
        FROM (VALUES
                (1, 'parent', NEW.parent_id, 'parent', 'An interface cannot be its own parent.', ''),
                (2, 'bridge', NEW.bridge_id, 'bridge', 'An interface cannot be bridged to itself.', '.'),
                (3, 'lag', NEW.lag_id, 'LAG', 'A LAG interface cannot be its own parent.', '.')
            ) AS r(n, field, id, noun, itself, stop)
            JOIN dcim_interface i ON i.id = r.id JOIN dcim_device d ON d.id = i.device_id JOIN dcim_device own ON own.id = NEW.device_id
            LEFT JOIN dcim_virtualchassis c ON c.id = own.virtual_chassis_id
            CROSS JOIN LATERAL (SELECT concat(i.name, ' (' || nullif(i.label, '') || ')') AS name) called
        WHERE i.id = NEW.id OR (i.device_id <> NEW.device_id AND (own.virtual_chassis_id = d.virtual_chassis_id) IS NOT TRUE)
        UNION ALL
        SELECT 4, 'untagged_vlan', format('The untagged VLAN (%s (%s)) must belong to the same site as the interface''s parent device, or it must be global.', v.name, v.vid)
        FROM ipam_vlan v JOIN dcim_device d ON d.id = NEW.device_id
        WHERE v.id = NEW.untagged_vlan_id AND v.site_id <> d.site_id
    ) p ORDER BY p.n LIMIT 1;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION 'interface out of place' USING ERRCODE = 'check_violation', TABLE = 'dcim_interface',
            CONSTRAINT = 'dcim_interface_' || problem, DETAIL = words;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_interface BEFORE INSERT ON dcim_interface FOR EACH ROW
    WHEN (num_nonnulls(NEW.parent_id, NEW.bridge_id, NEW.lag_id, NEW.untagged_vlan_id) > 0) EXECUTE FUNCTION dcim_place_interface();
CREATE TRIGGER replace_interface BEFORE UPDATE OF parent_id, bridge_id, lag_id, untagged_vlan_id ON dcim_interface FOR EACH ROW
    WHEN ((OLD.parent_id, OLD.bridge_id, OLD.lag_id, OLD.untagged_vlan_id) IS DISTINCT FROM (NEW.parent_id, NEW.bridge_id, NEW.lag_id, NEW.untagged_vlan_id))
    EXECUTE FUNCTION dcim_place_interface();

CREATE FUNCTION dcim_check_tagged_vlans() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stray TEXT;
BEGIN
    SELECT format('VLAN %s (%s) must belong to the same site as the interface''s parent device, or it must be global.', v.name, v.vid) INTO stray
        FROM added a JOIN ipam_vlan v ON v.id = a.vlan_id JOIN dcim_interface i ON i.id = a.interface_id JOIN dcim_device d ON d.id = i.device_id
        WHERE v.site_id <> d.site_id ORDER BY v.vid, v.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'VLAN of another site' USING ERRCODE = 'check_violation', TABLE = 'dcim_interface',
            CONSTRAINT = 'dcim_interface_tagged_vlans', DETAIL = stray;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_tagged_vlans AFTER INSERT ON dcim_interface_tagged_vlans REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION dcim_check_tagged_vlans();

-- Whoever leaves the mode for tagged VLANs for one that has none must have given them up by the end of the transaction;
-- Q-in-Q drops them.
CREATE FUNCTION dcim_refuse_tagged_vlans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM dcim_interface_tagged_vlans t JOIN dcim_interface i ON i.id = t.interface_id
            WHERE i.id = NEW.id AND coalesce(i.mode, 'none') NOT IN ('tagged', 'q-in-q')) THEN
        RAISE EXCEPTION 'tagged VLANs without such a mode' USING ERRCODE = 'check_violation', TABLE = 'dcim_interface',
            CONSTRAINT = 'dcim_interface_tagged_vlans', DETAIL = 'Interface mode does not support tagged vlans';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_tagged_vlans AFTER UPDATE OF mode ON dcim_interface DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.mode IS DISTINCT FROM NEW.mode AND (NEW.mode IS NULL OR NEW.mode NOT IN ('tagged', 'q-in-q')))
    EXECUTE FUNCTION dcim_refuse_tagged_vlans();

CREATE FUNCTION dcim_drop_tagged_vlans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM dcim_interface_tagged_vlans WHERE interface_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER drop_tagged_vlans AFTER UPDATE OF mode ON dcim_interface FOR EACH ROW
    WHEN (OLD.mode IS DISTINCT FROM NEW.mode AND NEW.mode = 'q-in-q') EXECUTE FUNCTION dcim_drop_tagged_vlans();

-- Interfaces know the wireless link that they are an end of; when it is deleted, its foreign key empties that.
CREATE FUNCTION wireless_attach_interfaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_interface SET wireless_link_id = NULL, last_updated = clock_timestamp()
        WHERE wireless_link_id = NEW.id AND id NOT IN (NEW.interface_a_id, NEW.interface_b_id);
    UPDATE dcim_interface SET wireless_link_id = NEW.id, last_updated = clock_timestamp()
        WHERE id IN (NEW.interface_a_id, NEW.interface_b_id) AND wireless_link_id IS DISTINCT FROM NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER attach_interfaces AFTER INSERT OR UPDATE OF interface_a_id, interface_b_id ON wireless_wirelesslink
    FOR EACH ROW EXECUTE FUNCTION wireless_attach_interfaces();
