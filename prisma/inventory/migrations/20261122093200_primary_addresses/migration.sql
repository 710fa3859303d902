-- The primary or out-of-band address of a device or a virtual machine stays on one of its interfaces (contract 3.5).
CREATE FUNCTION ipam_hold_primary_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held TEXT;
BEGIN
    IF OLD.assigned_object_type = 'dcim.interface' THEN
        SELECT CASE WHEN d.oob_ip_id = NEW.id AND NEW.id NOT IN (coalesce(d.primary_ip4_id, 0), coalesce(d.primary_ip6_id, 0)) THEN 'OOB' ELSE 'primary' END INTO held
            FROM dcim_interface i JOIN dcim_device d ON d.id = i.device_id
            WHERE i.id = OLD.assigned_object_id AND NEW.id IN (d.primary_ip4_id, d.primary_ip6_id, d.oob_ip_id)
                AND NOT EXISTS (SELECT FROM dcim_interface other WHERE NEW.assigned_object_type = 'dcim.interface'
                    AND other.id = NEW.assigned_object_id AND other.device_id = d.id);
    ELSE
        SELECT 'primary' INTO held
            FROM virtualization_vminterface i JOIN virtualization_virtualmachine m ON m.id = i.virtual_machine_id
            WHERE i.id = OLD.assigned_object_id AND NEW.id IN (m.primary_ip4_id, m.primary_ip6_id)
                AND NOT EXISTS (SELECT FROM virtualization_vminterface other WHERE NEW.assigned_object_type = 'virtualization.vminterface'
                    AND other.id = NEW.assigned_object_id AND other.virtual_machine_id = m.id);
    END IF;
    IF held IS NOT NULL THEN
        RAISE EXCEPTION 'address in use' USING ERRCODE = 'check_violation', TABLE = 'ipam_ipaddress', CONSTRAINT = 'ipam_ipaddress_primary',
            DETAIL = format('Cannot reassign IP address while it is designated as the %s IP for the parent object', held);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hold_primary_address BEFORE UPDATE OF assigned_object_type, assigned_object_id ON ipam_ipaddress FOR EACH ROW
    WHEN (OLD.assigned_object_type IN ('dcim.interface', 'virtualization.vminterface')
        AND (OLD.assigned_object_type, OLD.assigned_object_id) IS DISTINCT FROM (NEW.assigned_object_type, NEW.assigned_object_id))
    EXECUTE FUNCTION ipam_hold_primary_address();
