-- Values of custom fields are keyed by the id of the pair of field and object type. A row without the key has the pair's
-- initial value, fixed when the pair was made: giving a field to a model, renaming it, taking it away and deleting it
-- writes no object. A pair that was taken away has no field; its values are removed in the background.
CREATE TABLE extras_customfield_pair (
    id BIGSERIAL PRIMARY KEY,
    custom_field_id BIGINT,
    object_type TEXT NOT NULL,
    initial JSONB,
    -- Id of the last object whose values were removed.
    removed_to BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT extras_customfield_pair_custom_field_id_fkey FOREIGN KEY (custom_field_id)
        REFERENCES extras_customfield (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_customfield_pair_custom_field_id_object_type_key ON extras_customfield_pair (custom_field_id, object_type);

-- Objects have the defaults of their fields stored up to now.
INSERT INTO extras_customfield_pair (custom_field_id, object_type)
SELECT f.id, t.object_type FROM extras_customfield f, unnest(f.object_types) WITH ORDINALITY AS t (object_type, n)
ORDER BY f.id, t.n ON CONFLICT DO NOTHING;

CREATE FUNCTION keep_custom_field_pairs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE extras_customfield_pair SET custom_field_id = NULL
    WHERE custom_field_id = NEW.id AND NOT object_type = ANY (NEW.object_types);
    INSERT INTO extras_customfield_pair (custom_field_id, object_type, initial)
    SELECT NEW.id, t.object_type, nullif(NEW."default", 'null')
    FROM unnest(NEW.object_types) WITH ORDINALITY AS t (object_type, n) ORDER BY t.n ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
DROP TRIGGER keep_data ON extras_customfield;
DROP FUNCTION keep_custom_field_data();
CREATE TRIGGER keep_pairs AFTER INSERT OR UPDATE OF object_types ON extras_customfield
    FOR EACH ROW EXECUTE FUNCTION keep_custom_field_pairs();

-- Key and initial value of a field of a model by its name, and all values of an object by name.
CREATE FUNCTION custom_field_key(name TEXT, object_type TEXT) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT '#' || p.id FROM extras_customfield f JOIN extras_customfield_pair p ON p.custom_field_id = f.id
    WHERE f.name = $1 AND p.object_type = $2
$$;
CREATE FUNCTION custom_field_initial(name TEXT, object_type TEXT) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.initial FROM extras_customfield f JOIN extras_customfield_pair p ON p.custom_field_id = f.id
    WHERE f.name = $1 AND p.object_type = $2
$$;
CREATE FUNCTION custom_field_values(data JSONB, object_type TEXT) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_object_agg(v.name, v.value) FILTER (WHERE v.value <> 'null'), '{}') FROM (
        SELECT f.name, CASE WHEN data ? ('#' || p.id) THEN data -> ('#' || p.id) ELSE p.initial END AS value
        FROM extras_customfield_pair p JOIN extras_customfield f ON f.id = p.custom_field_id WHERE p.object_type = $2) v
$$;

CREATE OR REPLACE FUNCTION keep_used_choices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    removed TEXT[];
    given RECORD;
    target REGCLASS;
    used TEXT;
BEGIN
    removed := ARRAY(
        SELECT pair ->> 0 FROM jsonb_array_elements(OLD.extra_choices) pair
        EXCEPT SELECT pair ->> 0 FROM jsonb_array_elements(NEW.extra_choices) pair);
    FOR given IN SELECT '#' || p.id AS key, p.object_type, p.initial FROM extras_customfield f
        JOIN extras_customfield_pair p ON p.custom_field_id = f.id WHERE f.choice_set_id = NEW.id ORDER BY p.id LOOP
        target := to_regclass(quote_ident(replace(given.object_type, '.', '_')));
        CONTINUE WHEN target IS NULL;
        -- A choice is kept as a text, several as a list of texts.
        EXECUTE format('SELECT choice FROM unnest($2) choice WHERE EXISTS (SELECT FROM %1$s
                WHERE custom_field_data @> jsonb_build_object($1, choice)
                    OR custom_field_data @> jsonb_build_object($1, jsonb_build_array(choice)))
            OR $3 ? choice AND EXISTS (SELECT FROM %1$s WHERE NOT custom_field_data ? $1) LIMIT 1', target)
            INTO used USING given.key, removed, given.initial;
        IF used IS NOT NULL THEN
            RAISE EXCEPTION 'A choice that is used cannot be removed.'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'extras_customfieldchoiceset_used',
                    TABLE = TG_TABLE_NAME, DETAIL = format('Cannot remove choice %s: objects of %s use it.', used, given.object_type);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
