-- Values under the name of a field that is given to a model are of an earlier field of that name, deleted while an object
-- was being written. Of another type, they made lists fail that filter or order by the new field. Writes now lock the
-- fields whose values they store; what is left of earlier ones goes when it would begin to matter.
CREATE OR REPLACE FUNCTION keep_custom_field_data() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before TEXT[] := '{}';
    after TEXT[] := '{}';
    object_type TEXT;
    target REGCLASS;
BEGIN
    IF TG_OP <> 'INSERT' THEN before := OLD.object_types; END IF;
    IF TG_OP <> 'DELETE' THEN after := NEW.object_types; END IF;
    FOR object_type IN SELECT DISTINCT unnest(before || after) LOOP
        target := to_regclass(quote_ident(replace(object_type, '.', '_')));
        CONTINUE WHEN target IS NULL;
        IF NOT object_type = ANY (after) THEN
            EXECUTE format('UPDATE %s SET custom_field_data = custom_field_data - $1 WHERE custom_field_data ? $1', target)
                USING OLD.name::text;
        ELSIF NOT object_type = ANY (before) THEN
            EXECUTE format('UPDATE %s SET custom_field_data = custom_field_data - $1 WHERE custom_field_data ? $1', target)
                USING NEW.name::text;
            CONTINUE WHEN NEW."default" IS NULL OR NEW."default" = 'null';
            EXECUTE format('UPDATE %s SET custom_field_data = custom_field_data || jsonb_build_object($1, $2)', target)
                USING NEW.name::text, NEW."default";
        ELSIF OLD.name <> NEW.name THEN
            EXECUTE format('UPDATE %s SET custom_field_data = (custom_field_data - $1) || jsonb_build_object($2, custom_field_data -> $1)
                WHERE custom_field_data ? $1', target) USING OLD.name::text, NEW.name::text;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
