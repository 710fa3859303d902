-- Where a device may stand and what it may refer to (contract 3.3). The first rule that does not hold is told.

CREATE FUNCTION dcim_refuse_device(field TEXT, reason TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'device refused' USING ERRCODE = 'check_violation', TABLE = 'dcim_device',
        CONSTRAINT = 'dcim_device_' || field || '_rule', COLUMN = field, DETAIL = reason;
END $$;

-- Other devices whose units in the rack this one would need. One of full depth stands on both faces.
CREATE FUNCTION dcim_unit_is_free(device dcim_device, height NUMERIC, fills_both BOOLEAN) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM dcim_rack r WHERE r.id = device.rack_id
            AND device.position >= r.starting_unit AND device.position + height <= r.starting_unit + r.u_height)
        AND NOT EXISTS (SELECT FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
            WHERE d.rack_id = device.rack_id AND d.id <> device.id
                AND (fills_both OR t.is_full_depth OR d.face = device.face)
                AND d.position < device.position + height AND d.position + t.u_height > device.position)
$$;

-- Whether an address, or the one that it translates to, is on an interface of the device or of a member of its chassis.
CREATE FUNCTION dcim_device_has_address(device dcim_device, given BIGINT) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM dcim_interface i
        WHERE i.id IN (SELECT x.assigned_object_id FROM ipam_ipaddress a JOIN ipam_ipaddress x ON x.id IN (a.id, a.nat_inside_id)
                WHERE a.id = given AND x.assigned_object_type = 'dcim.interface')
            AND (i.device_id = device.id OR (NOT i.mgmt_only AND i.device_id IN
                (SELECT m.id FROM dcim_device m WHERE m.virtual_chassis_id = device.virtual_chassis_id))))
$$;

CREATE FUNCTION dcim_check_device_address(device dcim_device, field TEXT, address_id BIGINT, wanted INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    given INET;
BEGIN
    IF address_id IS NULL THEN
        RETURN;
    END IF;
    -- Held, so that it is not assigned elsewhere meanwhile.
    SELECT a.address INTO given FROM ipam_ipaddress a WHERE a.id = address_id FOR SHARE;
    IF family(given) <> wanted THEN
        PERFORM dcim_refuse_device(field, format('%s/%s is not an IPv%s address.', host(given), masklen(given), wanted));
    END IF;
    IF NOT dcim_device_has_address(device, address_id) THEN
        PERFORM dcim_refuse_device(field, format('The specified IP address (%s/%s) is not assigned to this device.',
            host(given), masklen(given)));
    END IF;
END $$;

-- The rows that a rule reads are held until the end: whoever wants to change them waits, and sees this device then. Two
-- devices in one rack wait for each other.
CREATE FUNCTION dcim_check_device() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind RECORD;
    rack RECORD;
    place RECORD;
    cluster RECORD;
    software RECORD;
    site CONSTANT TEXT := (SELECT name FROM dcim_site WHERE id = NEW.site_id);
    led RECORD;
BEGIN
    SELECT t.model, t.u_height, t.is_full_depth, coalesce(t.subdevice_role, '') AS role, t.airflow, t.default_platform_id,
            t.manufacturer_id, m.name AS manufacturer
        INTO kind FROM dcim_devicetype t JOIN dcim_manufacturer m ON m.id = t.manufacturer_id
        WHERE t.id = NEW.device_type_id FOR SHARE OF t;
    IF NEW.location_id IS NOT NULL THEN
        SELECT l.site_id, l.name INTO place FROM dcim_location l WHERE l.id = NEW.location_id FOR SHARE;
    END IF;
    IF NEW.rack_id IS NOT NULL THEN
        IF NEW.position IS NULL THEN
            PERFORM FROM dcim_rack r WHERE r.id = NEW.rack_id FOR SHARE;
        ELSE
            PERFORM FROM dcim_rack r WHERE r.id = NEW.rack_id FOR NO KEY UPDATE;
        END IF;
        SELECT r.site_id, r.location_id, r.name || coalesce(' (' || nullif(r.facility_id, '') || ')', '') AS name
            INTO rack FROM dcim_rack r WHERE r.id = NEW.rack_id;
        IF rack.site_id <> NEW.site_id THEN
            PERFORM dcim_refuse_device('rack', format('Rack %s does not belong to site %s.', rack.name, site));
        END IF;
    END IF;
    IF NEW.location_id IS NOT NULL THEN
        IF place.site_id <> NEW.site_id THEN
            PERFORM dcim_refuse_device('location', format('Location %s does not belong to site %s.', place.name, site));
        END IF;
    END IF;
    IF NEW.rack_id IS NOT NULL THEN
        IF NEW.location_id IS NOT NULL AND rack.location_id IS DISTINCT FROM NEW.location_id THEN
            PERFORM dcim_refuse_device('rack', format('Rack %s does not belong to location %s.', rack.name, place.name));
        END IF;
        NEW.location_id := coalesce(rack.location_id, NEW.location_id);
    END IF;
    IF NEW.position IS NOT NULL AND kind.u_height = 0 THEN
        PERFORM dcim_refuse_device('position', format('A 0U device type (%s) cannot be assigned to a rack position.', kind.model));
    END IF;
    IF NEW.rack_id IS NOT NULL AND kind.role = 'child' AND NEW.face IS NOT NULL THEN
        PERFORM dcim_refuse_device('face', 'Child device types cannot be assigned to a rack face. This is an attribute of the parent device.');
    END IF;
    IF NEW.rack_id IS NOT NULL AND kind.role = 'child' AND NEW.position IS NOT NULL THEN
        PERFORM dcim_refuse_device('position', 'Child device types cannot be assigned to a rack position. This is an attribute of the parent device.');
    END IF;
    IF NEW.position IS NOT NULL AND NOT dcim_unit_is_free(NEW, kind.u_height, kind.is_full_depth) THEN
        PERFORM dcim_refuse_device('position',
            format('U%s is already occupied or does not have sufficient space to accommodate this device type: %s (%sU)',
                NEW.position, kind.model, kind.u_height));
    END IF;
    PERFORM dcim_check_device_address(NEW, 'primary_ip4', NEW.primary_ip4_id, 4);
    PERFORM dcim_check_device_address(NEW, 'primary_ip6', NEW.primary_ip6_id, 6);
    PERFORM dcim_check_device_address(NEW, 'oob_ip', NEW.oob_ip_id, NULL);
    IF NEW.platform_id IS NOT NULL THEN
        SELECT p.manufacturer_id, m.name AS manufacturer INTO software
            FROM dcim_platform p JOIN dcim_manufacturer m ON m.id = p.manufacturer_id WHERE p.id = NEW.platform_id;
        IF software.manufacturer_id <> kind.manufacturer_id THEN
            PERFORM dcim_refuse_device('platform',
                format('The assigned platform is limited to %s device types, but this device''s type belongs to %s.',
                    software.manufacturer, kind.manufacturer));
        END IF;
    END IF;
    IF NEW.cluster_id IS NOT NULL THEN
        SELECT l.id AS location_id, l.name AS location, s.id AS site_id, s.name AS site INTO cluster
            FROM virtualization_cluster c
            LEFT JOIN dcim_location l ON c.scope_type = 'dcim.location' AND l.id = c.scope_id
            LEFT JOIN dcim_site s ON s.id = CASE c.scope_type WHEN 'dcim.site' THEN c.scope_id ELSE l.site_id END
            WHERE c.id = NEW.cluster_id FOR SHARE OF c;
        IF cluster.site_id <> NEW.site_id THEN
            PERFORM dcim_refuse_device('cluster', format('The assigned cluster belongs to a different site (%s)', cluster.site));
        END IF;
        IF cluster.location_id IS DISTINCT FROM NEW.location_id AND cluster.location_id IS NOT NULL THEN
            PERFORM dcim_refuse_device('cluster',
                format('The assigned cluster belongs to a different location (%s)', cluster.location));
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.virtual_chassis_id IS DISTINCT FROM NEW.virtual_chassis_id THEN
        SELECT c.id, c.name INTO led FROM dcim_virtualchassis c WHERE c.master_id = NEW.id FOR SHARE;
        IF FOUND AND led.id IS DISTINCT FROM NEW.virtual_chassis_id THEN
            PERFORM dcim_refuse_device('virtual_chassis',
                format('Device cannot be removed from virtual chassis %s because it is currently designated as its master.', led.name));
        END IF;
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.airflow := coalesce(NEW.airflow, kind.airflow);
        NEW.platform_id := coalesce(NEW.platform_id, kind.default_platform_id);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER check_new_device BEFORE INSERT ON dcim_device FOR EACH ROW EXECUTE FUNCTION dcim_check_device();
-- A write of a device names every column, its type among them. What follows from other changes, such as a rack that moves
-- or a chassis that goes, names only what it moves and is right without these rules.
CREATE TRIGGER check_device BEFORE UPDATE OF device_type_id ON dcim_device FOR EACH ROW
    WHEN ((OLD.device_type_id, OLD.site_id, OLD.location_id, OLD.rack_id, OLD.position, OLD.face, OLD.platform_id, OLD.cluster_id,
            OLD.primary_ip4_id, OLD.primary_ip6_id, OLD.oob_ip_id, OLD.virtual_chassis_id)
        IS DISTINCT FROM (NEW.device_type_id, NEW.site_id, NEW.location_id, NEW.rack_id, NEW.position, NEW.face, NEW.platform_id, NEW.cluster_id,
            NEW.primary_ip4_id, NEW.primary_ip6_id, NEW.oob_ip_id, NEW.virtual_chassis_id))
    EXECUTE FUNCTION dcim_check_device();

-- Devices in the bays of a device are where it is.
CREATE FUNCTION dcim_move_installed_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_device d SET site_id = NEW.site_id, location_id = NEW.location_id, rack_id = NEW.rack_id
        FROM dcim_devicebay b WHERE b.device_id = NEW.id AND d.id = b.installed_device_id
            AND (d.site_id, d.location_id, d.rack_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id, NEW.rack_id);
    RETURN NULL;
END $$;
CREATE TRIGGER move_installed_devices AFTER UPDATE OF site_id, location_id, rack_id ON dcim_device FOR EACH ROW
    WHEN ((OLD.site_id, OLD.location_id, OLD.rack_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id, NEW.rack_id))
    EXECUTE FUNCTION dcim_move_installed_devices();
