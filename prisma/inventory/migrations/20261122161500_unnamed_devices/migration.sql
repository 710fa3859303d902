-- What a device without a name is called: its place in a virtual chassis, or else its type. A function, because a list
-- names devices in a dozen places: subqueries that nearly no device needs took a fifth of the time of a page.
CREATE FUNCTION dcim_unnamed_device(chassis BIGINT, place INTEGER, type BIGINT) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce(
        (SELECT concat(c.name, ':', coalesce(place::text, 'None')) FROM dcim_virtualchassis c WHERE c.id = chassis),
        (SELECT concat(m.name, ' ', d.model) FROM dcim_devicetype d JOIN dcim_manufacturer m ON m.id = d.manufacturer_id
            WHERE d.id = type));
END $$;
