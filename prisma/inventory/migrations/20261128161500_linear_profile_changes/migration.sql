-- Remembers the cables whose profile changes once for each statement, and finds them by key: both took time that grew with the
-- square of the number of cables.
CREATE FUNCTION dcim_remember_profile_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ids TEXT;
BEGIN
    SELECT string_agg(n.id::text, ',') INTO ids FROM old_cables o JOIN new_cables n USING (id) WHERE o.profile IS DISTINCT FROM n.profile;
    IF ids IS NOT NULL THEN
        PERFORM set_config('inventory.changed_profiles', concat(current_setting('inventory.changed_profiles', true), ',', ids), true);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER remember_profile_change ON dcim_cable;
DROP FUNCTION dcim_remember_profile_change();
CREATE TRIGGER remember_profile_changes AFTER UPDATE ON dcim_cable REFERENCING OLD TABLE AS old_cables NEW TABLE AS new_cables
    FOR EACH STATEMENT EXECUTE FUNCTION dcim_remember_profile_changes();

CREATE OR REPLACE FUNCTION dcim_wanted_ends(written JSONB) RETURNS dcim_cable_end[] LANGUAGE sql STABLE AS $$
    WITH changed AS MATERIALIZED (
        SELECT jsonb_object_agg(id, true) AS ids FROM unnest(string_to_array(current_setting('inventory.changed_profiles', true), ',')) AS id
    ), cables AS (
        SELECT c.id, c.profile, w AS lists, (changed.ids ? c.id::text) IS NOT TRUE AS keeps
        FROM changed, jsonb_array_elements(written) AS w JOIN dcim_cable c ON c.id = (w ->> 'id')::bigint
    ), listed AS (
        SELECT c.id AS cable, c.profile, c.keeps, s.side, item ->> 'type' AS kind, (item ->> 'id')::bigint AS id, place
        FROM cables c, (VALUES ('A', 'a_terminations'), ('B', 'b_terminations')) AS s(side, name),
            jsonb_array_elements(c.lists -> s.name) WITH ORDINALITY AS list(item, place)
    ), given AS (
        SELECT l.cable, l.profile, l.side, l.kind, l.id, l.place, coalesce(e.connector, l.place) AS connector
        FROM listed l LEFT JOIN dcim_cabletermination e ON l.keeps AND e.termination_type = l.kind AND e.termination_id = l.id
            AND e.cable_id = l.cable AND e.cable_end = l.side
    ), unlisted AS (
        SELECT c.id AS cable, c.profile, e.cable_end AS side, e.termination_type AS kind, e.termination_id AS id,
            row_number() OVER (PARTITION BY e.cable_id, e.cable_end ORDER BY e.connector, e.id) AS place,
            CASE WHEN c.keeps THEN e.connector END AS connector
        FROM cables c JOIN dcim_cabletermination e ON e.cable_id = c.id
            AND coalesce(jsonb_array_length(c.lists -> (lower(e.cable_end) || '_terminations')), 0) = 0
    ), every AS (
        SELECT * FROM given
        UNION ALL
        SELECT u.cable, u.profile, u.side, u.kind, u.id, u.place, coalesce(u.connector, u.place) FROM unlisted u
    )
    SELECT coalesce(array_agg(ROW(e.cable, e.profile, e.side, e.kind, e.id, CASE WHEN e.profile IS NOT NULL THEN e.connector END,
        limits.connectors, limits.positions)::dcim_cable_end ORDER BY e.cable, e.side, e.place), '{}')
    FROM every e, dcim_cable_side(e.profile, e.side) AS limits
$$;
