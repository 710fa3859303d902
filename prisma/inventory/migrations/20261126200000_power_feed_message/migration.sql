-- The message ends with a full stop, as in the reference API.
CREATE OR REPLACE FUNCTION dcim_check_power_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    SELECT format('Rack %s (%s) and power panel %s (%s) are in different sites.',
            r.name || coalesce(' (' || nullif(r.facility_id, '') || ')', ''), rack_site.name, p.name, panel_site.name) INTO wrong
        FROM dcim_rack r JOIN dcim_site rack_site ON rack_site.id = r.site_id,
            dcim_powerpanel p JOIN dcim_site panel_site ON panel_site.id = p.site_id
        WHERE r.id = NEW.rack_id AND p.id = NEW.power_panel_id AND rack_site.id <> panel_site.id;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'rack and panel in different sites' USING ERRCODE = 'check_violation', TABLE = 'dcim_powerfeed',
            CONSTRAINT = 'dcim_powerfeed_rack_site', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
