-- The primary and the out-of-band address of a device, and the primary one of a virtual machine, stay with it
-- (contract 3.5). Whoever designates an address holds its row, so that it is not moved meanwhile.

CREATE FUNCTION ipam_keep_designated_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_device CONSTANT BIGINT := (SELECT i.device_id FROM dcim_interface i
        WHERE OLD.assigned_object_type = 'dcim.interface' AND i.id = OLD.assigned_object_id);
    new_device CONSTANT BIGINT := (SELECT i.device_id FROM dcim_interface i
        WHERE NEW.assigned_object_type = 'dcim.interface' AND i.id = NEW.assigned_object_id);
    new_machine CONSTANT BIGINT := (SELECT i.virtual_machine_id FROM virtualization_vminterface i
        WHERE NEW.assigned_object_type = 'virtualization.vminterface' AND i.id = NEW.assigned_object_id);
    role TEXT;
BEGIN
    -- An address on another member of a virtual chassis may change places as long as the device may still have it.
    SELECT CASE WHEN d.oob_ip_id = NEW.id THEN 'OOB' ELSE 'primary' END INTO role FROM dcim_device d
        WHERE (d.primary_ip4_id = NEW.id OR d.primary_ip6_id = NEW.id OR d.oob_ip_id = NEW.id)
            AND d.id IS DISTINCT FROM new_device AND (d.id = old_device OR NOT dcim_device_has_address(d, NEW.id))
        ORDER BY 1 DESC LIMIT 1;
    IF role IS NULL AND EXISTS (SELECT FROM virtualization_virtualmachine v
            WHERE (v.primary_ip4_id = NEW.id OR v.primary_ip6_id = NEW.id) AND v.id IS DISTINCT FROM new_machine) THEN
        role := 'primary';
    END IF;
    IF role IS NOT NULL THEN
        RAISE EXCEPTION 'address is designated' USING ERRCODE = 'check_violation', TABLE = 'ipam_ipaddress',
            CONSTRAINT = 'ipam_ipaddress_designated',
            DETAIL = format('Cannot reassign IP address while it is designated as the %s IP for the parent object', role);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_designated_address AFTER UPDATE OF assigned_object_type, assigned_object_id ON ipam_ipaddress
    FOR EACH ROW WHEN (OLD.assigned_object_id IS NOT NULL AND
        (OLD.assigned_object_type, OLD.assigned_object_id) IS DISTINCT FROM (NEW.assigned_object_type, NEW.assigned_object_id))
    EXECUTE FUNCTION ipam_keep_designated_address();
