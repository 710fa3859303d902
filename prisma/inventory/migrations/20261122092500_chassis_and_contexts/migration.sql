-- Rules of virtual chassis and virtual device contexts (contract 3.3).

-- What a device is called in messages, as `display` shows it.
CREATE FUNCTION dcim_device_name(device BIGINT) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat(coalesce(nullif(d.name, ''), c.name || ':' || coalesce(d.vc_position::text, 'None'), m.name || ' ' || t.model),
            ' (' || coalesce(nullif(d.asset_tag, ''),
                CASE WHEN nullif(d.name, '') IS NULL AND d.virtual_chassis_id IS NULL THEN d.id::text END) || ')')
        FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id JOIN dcim_manufacturer m ON m.id = t.manufacturer_id
        LEFT JOIN dcim_virtualchassis c ON c.id = d.virtual_chassis_id WHERE d.id = device
$$;

-- The master of a new chassis becomes its first member.
CREATE FUNCTION dcim_enlist_master() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_device SET virtual_chassis_id = NEW.id, vc_position = 1, last_updated = clock_timestamp()
        WHERE id = NEW.master_id;
    RETURN NULL;
END $$;
CREATE TRIGGER enlist_master AFTER INSERT ON dcim_virtualchassis FOR EACH ROW WHEN (NEW.master_id IS NOT NULL)
    EXECUTE FUNCTION dcim_enlist_master();

-- Later the master is one of the members. The device is held: it cannot leave before this is done.
CREATE FUNCTION dcim_check_master() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM dcim_device d WHERE d.id = NEW.master_id AND d.virtual_chassis_id = NEW.id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'master is no member' USING ERRCODE = 'check_violation', TABLE = 'dcim_virtualchassis',
            CONSTRAINT = 'dcim_virtualchassis_master_rule', COLUMN = 'master',
            DETAIL = format('The selected master (%s) is not assigned to this virtual chassis.', dcim_device_name(NEW.master_id));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_master BEFORE UPDATE OF master_id ON dcim_virtualchassis FOR EACH ROW
    WHEN (NEW.master_id IS NOT NULL AND OLD.master_id IS DISTINCT FROM NEW.master_id) EXECUTE FUNCTION dcim_check_master();

CREATE FUNCTION dcim_check_context_address(context dcim_virtualdevicecontext, address_id BIGINT, wanted INTEGER) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    given INET;
    reason TEXT;
BEGIN
    IF address_id IS NULL THEN
        RETURN;
    END IF;
    -- Held, so that it is not assigned elsewhere meanwhile.
    SELECT a.address INTO given FROM ipam_ipaddress a WHERE a.id = address_id FOR SHARE;
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

CREATE FUNCTION dcim_check_device_context() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dcim_check_context_address(NEW, NEW.primary_ip4_id, 4);
    PERFORM dcim_check_context_address(NEW, NEW.primary_ip6_id, 6);
    RETURN NEW;
END $$;
CREATE TRIGGER check_new_context BEFORE INSERT ON dcim_virtualdevicecontext FOR EACH ROW
    WHEN (num_nonnulls(NEW.primary_ip4_id, NEW.primary_ip6_id) > 0) EXECUTE FUNCTION dcim_check_device_context();
-- Not when an address goes: that names one column.
CREATE TRIGGER check_context BEFORE UPDATE OF device_id ON dcim_virtualdevicecontext FOR EACH ROW
    WHEN ((OLD.device_id, OLD.primary_ip4_id, OLD.primary_ip6_id) IS DISTINCT FROM (NEW.device_id, NEW.primary_ip4_id, NEW.primary_ip6_id))
    EXECUTE FUNCTION dcim_check_device_context();
