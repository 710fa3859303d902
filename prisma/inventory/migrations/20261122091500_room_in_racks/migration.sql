-- Whether a device has room in its rack is one question, whether the device moves or its type grows.

CREATE OR REPLACE FUNCTION dcim_check_device_type_height() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    IF NEW.u_height > OLD.u_height THEN
        SELECT format('Device %s in rack %s does not have sufficient space to accommodate a height of %sU',
                coalesce(d.name, m.name || ' ' || NEW.model || ' (' || d.id || ')'), r.name, NEW.u_height) INTO wrong
            FROM dcim_device d JOIN dcim_rack r ON r.id = d.rack_id JOIN dcim_manufacturer m ON m.id = NEW.manufacturer_id
            WHERE d.device_type_id = NEW.id AND d.position IS NOT NULL
                AND NOT dcim_unit_is_free(d, NEW.u_height, NEW.is_full_depth)
            ORDER BY d.name, d.id LIMIT 1;
    ELSIF NEW.u_height = 0 THEN
        SELECT format('Unable to set 0U height: Found %s instances already mounted within racks.', count(*)) INTO wrong
            FROM dcim_device d WHERE d.device_type_id = NEW.id AND d.position IS NOT NULL HAVING count(*) > 0;
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'height does not fit the devices of the type' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicetype',
            CONSTRAINT = 'dcim_devicetype_mounted', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;

DROP FUNCTION dcim_has_room(BIGINT, NUMERIC, NUMERIC, TEXT, BIGINT);
