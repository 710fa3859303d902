-- An empty list of terminations leaves a side as it is, as one that is not named does.

CREATE OR REPLACE FUNCTION dcim_wanted_ends(written JSONB) RETURNS dcim_cable_end[] LANGUAGE sql STABLE AS $$
    WITH cables AS (
        SELECT c.id, c.profile, w AS lists FROM jsonb_array_elements(written) AS w JOIN dcim_cable c ON c.id = (w ->> 'id')::bigint
    ), given AS (
        SELECT c.id AS cable, c.profile, s.side, item ->> 'type' AS kind, (item ->> 'id')::bigint AS id, place, place AS connector
        FROM cables c, (VALUES ('A', 'a_terminations'), ('B', 'b_terminations')) AS s(side, name),
            jsonb_array_elements(c.lists -> s.name) WITH ORDINALITY AS list(item, place)
    ), kept AS (
        SELECT c.id AS cable, c.profile, e.cable_end AS side, e.termination_type AS kind, e.termination_id AS id,
            row_number() OVER (PARTITION BY e.cable_id, e.cable_end ORDER BY e.connector, e.id) AS place, e.connector
        FROM cables c JOIN dcim_cabletermination e ON e.cable_id = c.id
            AND coalesce(jsonb_array_length(c.lists -> (lower(e.cable_end) || '_terminations')), 0) = 0
    ), every AS (
        SELECT * FROM given
        UNION ALL
        SELECT k.cable, k.profile, k.side, k.kind, k.id, k.place, CASE WHEN fits.all_of_them THEN k.connector ELSE k.place END
        FROM kept k JOIN (
            SELECT o.cable, o.side, bool_and(o.connector <= (dcim_cable_side(o.profile, o.side)).connectors) IS TRUE AS all_of_them
            FROM kept o GROUP BY o.cable, o.side
        ) fits USING (cable, side)
    )
    SELECT coalesce(array_agg(ROW(e.cable, e.profile, e.side, e.kind, e.id, CASE WHEN e.profile IS NOT NULL THEN e.connector END,
        limits.connectors, limits.positions)::dcim_cable_end ORDER BY e.cable, e.side, e.place), '{}')
    FROM every e, dcim_cable_side(e.profile, e.side) AS limits
$$;
