-- What is at the other side of a cable, and what takes no cable (contract 3.3).

-- Where a position of a connector leads to at the other side of a cable with that profile.
CREATE FUNCTION dcim_far_position(profile TEXT, side TEXT, connector INTEGER, pos INTEGER, OUT far_connector INTEGER, OUT far_position INTEGER)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
            WHEN profile = 'trunk-2c4p-shuffle' THEN (pos - 1) / 2 + 1
            WHEN profile = 'trunk-4c4p-shuffle' THEN pos
            WHEN profile LIKE 'breakout-%-shuffle' AND side = 'A' THEN (pos - 1) / 2 * 4 + (connector - 1) * 2 + (pos - 1) % 2 + 1
            WHEN profile LIKE 'breakout-%-shuffle' THEN (connector - 1) % 4 / 2 + 1
            WHEN profile LIKE 'breakout-%' AND side = 'A' THEN pos
            WHEN profile LIKE 'breakout-%' THEN 1
            ELSE connector END,
        CASE
            WHEN profile = 'trunk-2c4p-shuffle' THEN (connector - 1) * 2 + (pos - 1) % 2 + 1
            WHEN profile = 'trunk-4c4p-shuffle' THEN connector
            WHEN profile LIKE 'breakout-%' AND side = 'A' THEN 1
            WHEN profile LIKE 'breakout-%-shuffle' THEN (connector - 1) / 4 * 2 + (connector - 1) % 2 + 1
            WHEN profile LIKE 'breakout-%' THEN connector
            ELSE pos END
$$;

-- What an end of a cable meets: the other side, or what the profile leads to there. It must stay a single query, so
-- that it becomes part of the statement that calls it.
CREATE FUNCTION dcim_link_peers(own_type TEXT, own_id BIGINT, cable BIGINT, side TEXT)
RETURNS TABLE (type VARCHAR, id BIGINT, place BIGINT) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT far.termination_type, far.termination_id, coalesce(far.connector, far.id)
    FROM dcim_cabletermination far
    WHERE far.cable_id = cable AND far.cable_end <> side AND (far.connector IS NULL OR EXISTS (
        SELECT FROM dcim_cabletermination near JOIN dcim_cable c ON c.id = near.cable_id,
            unnest(near.positions) AS pos, dcim_far_position(c.profile, side, near.connector, pos) AS met
        WHERE near.termination_type = own_type AND near.termination_id = own_id
            AND met.far_connector = far.connector AND met.far_position = ANY (far.positions)))
$$;

-- The name of the type of an interface that no cable can be put into; null for one that takes cables.
CREATE FUNCTION dcim_unwired_type(type TEXT) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE type
        WHEN 'virtual' THEN 'Virtual'
        WHEN 'bridge' THEN 'Bridge'
        WHEN 'lag' THEN 'Link Aggregation Group (LAG)'
        WHEN 'ieee802.11a' THEN 'IEEE 802.11a'
        WHEN 'ieee802.11g' THEN 'IEEE 802.11b/g'
        WHEN 'ieee802.11n' THEN 'IEEE 802.11n (Wi-Fi 4)'
        WHEN 'ieee802.11ac' THEN 'IEEE 802.11ac (Wi-Fi 5)'
        WHEN 'ieee802.11ad' THEN 'IEEE 802.11ad (WiGig)'
        WHEN 'ieee802.11ax' THEN 'IEEE 802.11ax (Wi-Fi 6)'
        WHEN 'ieee802.11ay' THEN 'IEEE 802.11ay (WiGig)'
        WHEN 'ieee802.11be' THEN 'IEEE 802.11be (Wi-Fi 7)'
        WHEN 'ieee802.15.1' THEN 'IEEE 802.15.1 (Bluetooth)'
        WHEN 'ieee802.15.4' THEN 'IEEE 802.15.4 (LR-WPAN)'
        WHEN 'other-wireless' THEN 'Other (Wireless)'
        WHEN 'gsm' THEN 'GSM'
        WHEN 'cdma' THEN 'CDMA'
        WHEN 'lte' THEN 'LTE'
        WHEN '4g' THEN '4G'
        WHEN '5g' THEN '5G'
    END
$$;

ALTER TABLE dcim_interface ADD CONSTRAINT dcim_interface_wired_check CHECK (cable_id IS NULL OR dcim_unwired_type(type) IS NULL);

DO $$
DECLARE
    cabled TEXT;
BEGIN
    FOREACH cabled IN ARRAY ARRAY['circuits_circuittermination', 'dcim_consoleport', 'dcim_consoleserverport', 'dcim_frontport',
        'dcim_interface', 'dcim_powerfeed', 'dcim_poweroutlet', 'dcim_powerport', 'dcim_rearport'] LOOP
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (NOT mark_connected OR cable_id IS NULL)', cabled, cabled || '_mark_connected_check');
    END LOOP;
END $$;
