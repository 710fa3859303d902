-- What clusters, their hosts and virtual machines have in common, and what the parts of a machine add up to.

CREATE FUNCTION virtualization_refuse_stray_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    strays BIGINT;
    words TEXT;
BEGIN
    SELECT count(*) INTO strays FROM dcim_device d WHERE d.cluster_id = NEW.id AND d.site_id <> NEW._site_id;
    IF strays > 0 THEN
        SELECT format('%s devices are assigned as hosts for this cluster but are not in site %s', strays, s.name) INTO words
            FROM dcim_site s WHERE s.id = NEW._site_id;
    ELSIF NEW.scope_type = 'dcim.location' THEN
        SELECT count(*) INTO strays FROM dcim_device d WHERE d.cluster_id = NEW.id AND d.location_id IS DISTINCT FROM NEW.scope_id;
        IF strays > 0 THEN
            SELECT format('%s devices are assigned as hosts for this cluster but are not in location %s', strays, l.name) INTO words
                FROM dcim_location l WHERE l.id = NEW.scope_id;
        END IF;
    END IF;
    IF words IS NOT NULL THEN
        RAISE EXCEPTION 'hosts elsewhere' USING ERRCODE = 'check_violation', TABLE = 'virtualization_cluster',
            CONSTRAINT = 'virtualization_cluster_hosts', DETAIL = words;
    END IF;
    RETURN NEW;
END $$;
-- Runs after `place_cluster`, which finds the site: triggers run in the order of their names.
CREATE TRIGGER refuse_stray_hosts BEFORE UPDATE OF scope_type, scope_id ON virtualization_cluster FOR EACH ROW
    WHEN ((OLD.scope_type, OLD.scope_id) IS DISTINCT FROM (NEW.scope_type, NEW.scope_id))
    EXECUTE FUNCTION virtualization_refuse_stray_hosts();

CREATE FUNCTION virtualization_move_machines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE virtualization_virtualmachine SET site_id = NEW._site_id WHERE cluster_id = NEW.id AND site_id IS DISTINCT FROM NEW._site_id;
    RETURN NULL;
END $$;
CREATE TRIGGER move_machines AFTER UPDATE ON virtualization_cluster FOR EACH ROW
    WHEN (NEW._site_id IS NOT NULL AND OLD._site_id IS DISTINCT FROM NEW._site_id) EXECUTE FUNCTION virtualization_move_machines();

-- What a device is called: by its name, its place in a virtual chassis, or its type.
CREATE FUNCTION dcim_device_name(device dcim_device) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat(
        coalesce(nullif(device.name, ''),
            (SELECT concat(c.name, ':', coalesce(device.vc_position::text, 'None')) FROM dcim_virtualchassis c WHERE c.id = device.virtual_chassis_id),
            (SELECT concat(m.name, ' ', t.model) FROM dcim_devicetype t JOIN dcim_manufacturer m ON m.id = t.manufacturer_id WHERE t.id = device.device_type_id)),
        ' (' || coalesce(nullif(device.asset_tag, ''), CASE WHEN nullif(device.name, '') IS NULL AND device.virtual_chassis_id IS NULL THEN device.id::text END) || ')')
$$;

-- Where a machine runs must agree with where its cluster and its host are; what is not said follows from them.
CREATE FUNCTION virtualization_place_machine() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    on_cluster virtualization_cluster;
    on_device dcim_device;
    problem TEXT;
    words TEXT;
BEGIN
    SELECT * INTO on_cluster FROM virtualization_cluster c WHERE c.id = NEW.cluster_id FOR SHARE;
    SELECT * INTO on_device FROM dcim_device d WHERE d.id = NEW.device_id FOR KEY SHARE;
    IF on_cluster._site_id <> NEW.site_id THEN
        problem := 'cluster_site';
        SELECT format('The selected cluster (%s) is not assigned to this site (%s).', on_cluster.name, s.name) INTO words
            FROM dcim_site s WHERE s.id = NEW.site_id;
    ELSIF on_device.site_id <> NEW.site_id THEN
        problem := 'device_site';
        SELECT format('The selected device (%s) is not assigned to this site (%s).', dcim_device_name(on_device), s.name) INTO words
            FROM dcim_site s WHERE s.id = NEW.site_id;
    ELSIF NEW.cluster_id IS NULL AND on_device.cluster_id IS NOT NULL THEN
        problem := 'device_cluster';
        SELECT format('Must specify the assigned device''s cluster (%s) when assigning host device %s.', c.name, dcim_device_name(on_device)) INTO words
            FROM virtualization_cluster c WHERE c.id = on_device.cluster_id;
    ELSIF on_device.id IS NOT NULL AND on_device.cluster_id IS DISTINCT FROM NEW.cluster_id THEN
        problem := 'cluster_device';
        words := format('The selected device (%s) is not assigned to this cluster (%s).', dcim_device_name(on_device), on_cluster.name);
    END IF;
    IF words IS NOT NULL THEN
        RAISE EXCEPTION 'machine elsewhere' USING ERRCODE = 'check_violation', TABLE = 'virtualization_virtualmachine',
            CONSTRAINT = 'virtualization_virtualmachine_' || problem, DETAIL = words;
    END IF;
    NEW.site_id := coalesce(NEW.site_id, on_cluster._site_id, on_device.site_id);
    RETURN NEW;
END $$;
CREATE TRIGGER place_machine BEFORE INSERT ON virtualization_virtualmachine
    FOR EACH ROW EXECUTE FUNCTION virtualization_place_machine();
-- What follows its cluster is not asked again.
CREATE TRIGGER replace_machine BEFORE UPDATE OF site_id, cluster_id, device_id ON virtualization_virtualmachine FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (OLD.site_id, OLD.cluster_id, OLD.device_id) IS DISTINCT FROM (NEW.site_id, NEW.cluster_id, NEW.device_id))
    EXECUTE FUNCTION virtualization_place_machine();

-- What a new machine is not given it has of its type.
CREATE FUNCTION virtualization_apply_type() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_type virtualization_virtualmachinetype;
BEGIN
    SELECT * INTO of_type FROM virtualization_virtualmachinetype t WHERE t.id = NEW.virtual_machine_type_id FOR KEY SHARE;
    NEW.platform_id := coalesce(NEW.platform_id, of_type.default_platform_id);
    NEW.vcpus := coalesce(NEW.vcpus, of_type.default_vcpus);
    NEW.memory := coalesce(NEW.memory, of_type.default_memory);
    RETURN NEW;
END $$;
CREATE TRIGGER apply_type BEFORE INSERT ON virtualization_virtualmachine
    FOR EACH ROW WHEN (NEW.virtual_machine_type_id IS NOT NULL) EXECUTE FUNCTION virtualization_apply_type();

-- The disk of a machine with virtual disks is as large as they are together.
CREATE FUNCTION virtualization_check_disk() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    total BIGINT;
BEGIN
    SELECT sum(d.size) INTO total FROM virtualization_virtualdisk d WHERE d.virtual_machine_id = NEW.id HAVING sum(d.size) > 0;
    IF NEW.disk IS NOT NULL AND NEW.disk <> total THEN
        RAISE EXCEPTION 'disk of another size' USING ERRCODE = 'check_violation', TABLE = 'virtualization_virtualmachine',
            CONSTRAINT = 'virtualization_virtualmachine_disk',
            DETAIL = format('The specified disk size (%s) must match the aggregate size of assigned virtual disks (%s).', NEW.disk, total);
    END IF;
    NEW.disk := coalesce(NEW.disk, total);
    RETURN NEW;
END $$;
CREATE TRIGGER check_disk BEFORE UPDATE OF disk ON virtualization_virtualmachine FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND OLD.disk IS DISTINCT FROM NEW.disk) EXECUTE FUNCTION virtualization_check_disk();

-- Machines are locked before their disks are added up, so that two writers of disks do not miss each other's.
CREATE FUNCTION virtualization_add_disks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    machines BIGINT[] := ARRAY(SELECT DISTINCT virtual_machine_id FROM changed);
BEGIN
    PERFORM FROM virtualization_virtualmachine m WHERE m.id = ANY (machines) ORDER BY m.id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM virtualization_virtualdisk d WHERE d.virtual_machine_id = ANY (machines) GROUP BY d.virtual_machine_id HAVING sum(d.size) > 2147483647) THEN
        RAISE EXCEPTION 'disks too large' USING ERRCODE = 'check_violation', TABLE = 'virtualization_virtualdisk',
            CONSTRAINT = 'virtualization_virtualdisk_total';
    END IF;
    UPDATE virtualization_virtualmachine m SET disk = (SELECT sum(d.size) FROM virtualization_virtualdisk d WHERE d.virtual_machine_id = m.id)
        WHERE m.id = ANY (machines);
    RETURN NULL;
END $$;
CREATE TRIGGER add_disks AFTER INSERT ON virtualization_virtualdisk REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION virtualization_add_disks();
CREATE TRIGGER subtract_disks AFTER DELETE ON virtualization_virtualdisk REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION virtualization_add_disks();
CREATE TRIGGER readd_disks AFTER UPDATE ON virtualization_virtualdisk REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION virtualization_add_disks();
CREATE TRIGGER resubtract_disks AFTER UPDATE ON virtualization_virtualdisk REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION virtualization_add_disks();

-- A primary address is of its family, and on an interface of the machine or translated to one that is.
CREATE FUNCTION virtualization_check_primary() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    versions CONSTANT INTEGER[] := ARRAY[4, 6];
    version INTEGER;
    wanted BIGINT;
    words TEXT;
BEGIN
    FOREACH version IN ARRAY versions LOOP
        wanted := CASE version WHEN 4 THEN NEW.primary_ip4_id ELSE NEW.primary_ip6_id END;
        CONTINUE WHEN wanted IS NULL;
        IF TG_OP = 'UPDATE' THEN
            CONTINUE WHEN wanted = CASE version WHEN 4 THEN OLD.primary_ip4_id ELSE OLD.primary_ip6_id END;
        END IF;
        SELECT CASE
                WHEN family(a.address) <> version
                    THEN format('Must be an IPv%s address. (%s is an IPv%s address.)', version, shown.address, family(a.address))
                WHEN NOT EXISTS (SELECT FROM virtualization_vminterface i WHERE i.virtual_machine_id = NEW.id AND (
                        (a.assigned_object_type = 'virtualization.vminterface' AND a.assigned_object_id = i.id)
                        OR (inside.assigned_object_type = 'virtualization.vminterface' AND inside.assigned_object_id = i.id)))
                    THEN format('The specified IP address (%s) is not assigned to this VM.', shown.address)
            END INTO words
            FROM ipam_ipaddress a LEFT JOIN ipam_ipaddress inside ON inside.id = a.nat_inside_id
                CROSS JOIN LATERAL (SELECT host(a.address) || '/' || masklen(a.address) AS address) shown
            WHERE a.id = wanted FOR SHARE OF a;
        IF words IS NOT NULL THEN
            RAISE EXCEPTION 'primary address elsewhere' USING ERRCODE = 'check_violation', TABLE = 'virtualization_virtualmachine',
                CONSTRAINT = 'virtualization_virtualmachine_primary_ip' || version, DETAIL = words;
        END IF;
    END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER check_primary BEFORE INSERT ON virtualization_virtualmachine
    FOR EACH ROW WHEN (num_nonnulls(NEW.primary_ip4_id, NEW.primary_ip6_id) > 0) EXECUTE FUNCTION virtualization_check_primary();
CREATE TRIGGER recheck_primary BEFORE UPDATE OF primary_ip4_id, primary_ip6_id ON virtualization_virtualmachine FOR EACH ROW
    WHEN ((OLD.primary_ip4_id, OLD.primary_ip6_id) IS DISTINCT FROM (NEW.primary_ip4_id, NEW.primary_ip6_id))
    EXECUTE FUNCTION virtualization_check_primary();

-- Interfaces of one machine stand below and beside each other only; VLANs are of its site or of none.
CREATE FUNCTION virtualization_place_interface() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    problem TEXT;
    words TEXT;
BEGIN
    SELECT p.problem, p.words INTO problem, words FROM (
        SELECT 1 AS n, 'parent' AS problem, CASE
                WHEN i.id = NEW.id THEN 'An interface cannot be its own parent.'
                ELSE format('The selected parent interface (%s) belongs to a different virtual machine (%s).', i.name, m.name) END AS words
            FROM virtualization_vminterface i JOIN virtualization_virtualmachine m ON m.id = i.virtual_machine_id
            WHERE i.id = NEW.parent_id AND (i.id = NEW.id OR i.virtual_machine_id <> NEW.virtual_machine_id)
        UNION ALL
        SELECT 2, 'bridge', CASE
                WHEN i.id = NEW.id THEN 'An interface cannot be bridged to itself.'
                ELSE format('The selected bridge interface (%s) belongs to a different virtual machine (%s).', i.name, m.name) END
            FROM virtualization_vminterface i JOIN virtualization_virtualmachine m ON m.id = i.virtual_machine_id
            WHERE i.id = NEW.bridge_id AND (i.id = NEW.id OR i.virtual_machine_id <> NEW.virtual_machine_id)
        UNION ALL
        SELECT 3, 'untagged_vlan', format('The untagged VLAN (%s (%s)) must belong to the same site as the interface''s parent virtual machine, or it must be global.', v.name, v.vid)
            FROM ipam_vlan v JOIN virtualization_virtualmachine m ON m.id = NEW.virtual_machine_id
            WHERE v.id = NEW.untagged_vlan_id AND v.site_id IS NOT NULL AND v.site_id IS DISTINCT FROM m.site_id
    ) p ORDER BY p.n LIMIT 1;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION 'interface out of place' USING ERRCODE = 'check_violation', TABLE = 'virtualization_vminterface',
            CONSTRAINT = 'virtualization_vminterface_' || problem, DETAIL = words;
    END IF;
    -- Without a mode there is no VLAN.
    IF NEW.mode IS NULL THEN
        NEW.untagged_vlan_id := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_interface BEFORE INSERT ON virtualization_vminterface
    FOR EACH ROW EXECUTE FUNCTION virtualization_place_interface();
CREATE TRIGGER replace_interface BEFORE UPDATE OF virtual_machine_id, parent_id, bridge_id, mode, untagged_vlan_id
    ON virtualization_vminterface FOR EACH ROW
    WHEN ((OLD.virtual_machine_id, OLD.parent_id, OLD.bridge_id, OLD.mode, OLD.untagged_vlan_id)
        IS DISTINCT FROM (NEW.virtual_machine_id, NEW.parent_id, NEW.bridge_id, NEW.mode, NEW.untagged_vlan_id))
    EXECUTE FUNCTION virtualization_place_interface();

CREATE FUNCTION virtualization_drop_tagged_vlans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM virtualization_vminterface_tagged_vlans WHERE vminterface_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER drop_tagged_vlans AFTER UPDATE OF mode ON virtualization_vminterface
    FOR EACH ROW WHEN (NEW.mode IS DISTINCT FROM 'tagged') EXECUTE FUNCTION virtualization_drop_tagged_vlans();

CREATE FUNCTION virtualization_check_tagged_vlan() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stray TEXT;
BEGIN
    SELECT format('VLAN %s (%s) must belong to the same site as the interface''s parent virtual machine, or it must be global.', v.name, v.vid) INTO stray
        FROM ipam_vlan v, virtualization_vminterface i JOIN virtualization_virtualmachine m ON m.id = i.virtual_machine_id
        WHERE v.id = NEW.vlan_id AND i.id = NEW.vminterface_id AND v.site_id IS NOT NULL AND v.site_id IS DISTINCT FROM m.site_id;
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'VLAN of another site' USING ERRCODE = 'check_violation', TABLE = 'virtualization_vminterface_tagged_vlans',
            CONSTRAINT = 'virtualization_vminterface_tagged_vlans', DETAIL = stray;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_tagged_vlan BEFORE INSERT ON virtualization_vminterface_tagged_vlans
    FOR EACH ROW EXECUTE FUNCTION virtualization_check_tagged_vlan();
