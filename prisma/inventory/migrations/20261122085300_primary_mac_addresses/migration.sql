-- The primary MAC address of an interface is one of its own (contract 3.3). Both sides lock the address first, so that
-- it cannot be made primary here while it is given to another interface there.

-- An address that nobody has yet becomes the interface's.
CREATE FUNCTION dcim_take_primary_mac() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own_type CONSTANT varchar := TG_ARGV[0];
    address record;
    other text;
BEGIN
    SELECT m.mac_address, m.assigned_object_type, m.assigned_object_id INTO address
        FROM dcim_macaddress m WHERE m.id = NEW.primary_mac_address_id FOR NO KEY UPDATE;
    IF address.assigned_object_id IS NULL THEN
        UPDATE dcim_macaddress SET assigned_object_type = own_type, assigned_object_id = NEW.id, last_updated = clock_timestamp()
            WHERE id = NEW.primary_mac_address_id;
    ELSIF (address.assigned_object_type, address.assigned_object_id) <> (own_type, NEW.id) THEN
        SELECT holder.name INTO other FROM (
            SELECT i.name FROM dcim_interface i
                WHERE address.assigned_object_type = 'dcim.interface' AND i.id = address.assigned_object_id
            UNION ALL SELECT i.name FROM virtualization_vminterface i
                WHERE address.assigned_object_type = 'virtualization.vminterface' AND i.id = address.assigned_object_id) holder;
        RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'dcim_primary_mac_address',
            DETAIL = format('MAC address %s is assigned to a different interface (%s).', upper(address.mac_address::text), other);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER dcim_take_primary_mac AFTER INSERT ON dcim_interface
    FOR EACH ROW WHEN (NEW.primary_mac_address_id IS NOT NULL) EXECUTE FUNCTION dcim_take_primary_mac('dcim.interface');
CREATE TRIGGER dcim_change_primary_mac AFTER UPDATE OF primary_mac_address_id ON dcim_interface
    FOR EACH ROW WHEN (NEW.primary_mac_address_id IS DISTINCT FROM OLD.primary_mac_address_id AND NEW.primary_mac_address_id IS NOT NULL)
    EXECUTE FUNCTION dcim_take_primary_mac('dcim.interface');
CREATE TRIGGER dcim_take_primary_mac AFTER INSERT ON virtualization_vminterface
    FOR EACH ROW WHEN (NEW.primary_mac_address_id IS NOT NULL) EXECUTE FUNCTION dcim_take_primary_mac('virtualization.vminterface');
CREATE TRIGGER dcim_change_primary_mac AFTER UPDATE OF primary_mac_address_id ON virtualization_vminterface
    FOR EACH ROW WHEN (NEW.primary_mac_address_id IS DISTINCT FROM OLD.primary_mac_address_id AND NEW.primary_mac_address_id IS NOT NULL)
    EXECUTE FUNCTION dcim_take_primary_mac('virtualization.vminterface');

CREATE FUNCTION dcim_hold_primary_mac() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM dcim_interface i WHERE i.primary_mac_address_id = NEW.id
            AND (NEW.assigned_object_type, NEW.assigned_object_id) IS DISTINCT FROM ('dcim.interface'::varchar, i.id))
        OR EXISTS (SELECT FROM virtualization_vminterface i WHERE i.primary_mac_address_id = NEW.id
            AND (NEW.assigned_object_type, NEW.assigned_object_id) IS DISTINCT FROM ('virtualization.vminterface'::varchar, i.id)) THEN
        RAISE EXCEPTION USING ERRCODE = 'check_violation', TABLE = 'dcim_macaddress', CONSTRAINT = 'dcim_macaddress_primary',
            DETAIL = format('Cannot %s MAC Address while it is designated as the primary MAC for an object',
                CASE WHEN NEW.assigned_object_id IS NULL THEN 'unassign' ELSE 'reassign' END);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER dcim_hold_primary_mac AFTER UPDATE OF assigned_object_type, assigned_object_id ON dcim_macaddress
    FOR EACH ROW WHEN ((NEW.assigned_object_type, NEW.assigned_object_id) IS DISTINCT FROM (OLD.assigned_object_type, OLD.assigned_object_id)
        AND OLD.assigned_object_id IS NOT NULL)
    EXECUTE FUNCTION dcim_hold_primary_mac();
