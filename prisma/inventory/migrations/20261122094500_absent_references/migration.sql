-- As before, but what refers to an object that does not exist is left to the foreign key, which says so: no rule can be
-- asked of it.

CREATE OR REPLACE FUNCTION dcim_check_device_address(device dcim_device, field TEXT, address_id BIGINT, wanted INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    given INET;
BEGIN
    IF address_id IS NULL THEN
        RETURN;
    END IF;
    -- Held, so that it is not assigned elsewhere meanwhile.
    SELECT a.address INTO given FROM ipam_ipaddress a WHERE a.id = address_id FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF family(given) <> wanted THEN
        PERFORM dcim_refuse_device(field, format('%s/%s is not an IPv%s address.', host(given), masklen(given), wanted));
    END IF;
    IF NOT dcim_device_has_address(device, address_id) THEN
        PERFORM dcim_refuse_device(field, format('The specified IP address (%s/%s) is not assigned to this device.',
            host(given), masklen(given)));
    END IF;
END $$;

CREATE OR REPLACE FUNCTION dcim_check_device() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF NOT FOUND OR site IS NULL
        OR (NEW.location_id IS NOT NULL AND NOT EXISTS (SELECT FROM dcim_location l WHERE l.id = NEW.location_id))
        OR (NEW.rack_id IS NOT NULL AND NOT EXISTS (SELECT FROM dcim_rack r WHERE r.id = NEW.rack_id)) THEN
        RETURN NEW;
    END IF;
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

CREATE OR REPLACE FUNCTION dcim_check_master() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM dcim_device d WHERE d.id = NEW.master_id AND d.virtual_chassis_id = NEW.id FOR SHARE;
    IF NOT FOUND AND EXISTS (SELECT FROM dcim_device d WHERE d.id = NEW.master_id) THEN
        RAISE EXCEPTION 'master is no member' USING ERRCODE = 'check_violation', TABLE = 'dcim_virtualchassis',
            CONSTRAINT = 'dcim_virtualchassis_master_rule', COLUMN = 'master',
            DETAIL = format('The selected master (%s) is not assigned to this virtual chassis.', dcim_device_name(NEW.master_id));
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION dcim_check_context_address(context dcim_virtualdevicecontext, address_id BIGINT, wanted INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    given INET;
    reason TEXT;
BEGIN
    IF address_id IS NULL THEN
        RETURN;
    END IF;
    -- Held, so that it is not assigned elsewhere meanwhile.
    SELECT a.address INTO given FROM ipam_ipaddress a WHERE a.id = address_id FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF family(given) <> wanted THEN
        reason := format('%s/%s is not an IPv%s address.', host(given), masklen(given), wanted);
    ELSIF NOT EXISTS (SELECT FROM ipam_ipaddress a JOIN dcim_interface i ON i.id = a.assigned_object_id
        WHERE a.id = address_id AND a.assigned_object_type = 'dcim.interface'
            AND (i.device_id = context.device_id OR (NOT i.mgmt_only AND i.device_id IN (SELECT member.id
                FROM dcim_device d JOIN dcim_device member ON member.virtual_chassis_id = d.virtual_chassis_id
                WHERE d.id = context.device_id)))) THEN
        reason := 'Primary IP address must belong to an interface on the assigned device.';
    END IF;
    IF reason IS NOT NULL THEN
        RAISE EXCEPTION 'address of another device' USING ERRCODE = 'check_violation', TABLE = 'dcim_virtualdevicecontext',
            CONSTRAINT = format('dcim_virtualdevicecontext_primary_ip%s_rule', wanted),
            COLUMN = format('primary_ip%s', wanted), DETAIL = reason;
    END IF;
END $$;
