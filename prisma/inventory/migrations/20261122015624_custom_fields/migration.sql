-- Custom fields: what they are, and what becomes of their values when they change.

CREATE TABLE extras_customfieldchoiceset (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    base_choices VARCHAR(50),
    -- Pairs of value and label.
    extra_choices JSONB NOT NULL DEFAULT '[]',
    choice_colors JSONB NOT NULL DEFAULT '{}',
    order_alphabetically BOOLEAN NOT NULL DEFAULT false,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_customfieldchoiceset_name_key ON extras_customfieldchoiceset (name);
SELECT keep_row_count('extras_customfieldchoiceset', 'extras.customfieldchoiceset');

CREATE TABLE extras_customfield (
    id BIGSERIAL PRIMARY KEY,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    type VARCHAR(50) NOT NULL DEFAULT 'text',
    related_object_type VARCHAR(100),
    name VARCHAR(50) NOT NULL,
    label VARCHAR(50) NOT NULL DEFAULT '',
    group_name VARCHAR(50) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    required BOOLEAN NOT NULL DEFAULT false,
    "unique" BOOLEAN NOT NULL DEFAULT false,
    search_weight SMALLINT NOT NULL DEFAULT 1000,
    filter_logic VARCHAR(50) NOT NULL DEFAULT 'loose',
    ui_visible VARCHAR(50) NOT NULL DEFAULT 'always',
    ui_editable VARCHAR(50) NOT NULL DEFAULT 'yes',
    is_cloneable BOOLEAN NOT NULL DEFAULT false,
    "default" JSONB,
    related_object_filter JSONB,
    weight SMALLINT NOT NULL DEFAULT 100,
    validation_minimum DECIMAL(16, 4),
    validation_maximum DECIMAL(16, 4),
    validation_regex VARCHAR(500) NOT NULL DEFAULT '',
    validation_schema JSONB,
    choice_set_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_customfield_choice_set_id_fkey FOREIGN KEY (choice_set_id) REFERENCES extras_customfieldchoiceset (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_customfield_name_key ON extras_customfield (name);
CREATE INDEX extras_customfield_group_name_weight_name_idx ON extras_customfield (group_name, weight, name);
CREATE INDEX extras_customfield_choice_set_id_idx ON extras_customfield (choice_set_id);
SELECT keep_row_count('extras_customfield', 'extras.customfield');

-- Values live with their objects: a field that is given to a model brings its default, one that is taken away takes its
-- values along, one that is renamed renames them.
CREATE FUNCTION keep_custom_field_data() RETURNS trigger LANGUAGE plpgsql AS $$
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
            CONTINUE WHEN NEW."default" IS NULL OR NEW."default" = 'null';
            EXECUTE format('UPDATE %s SET custom_field_data = custom_field_data || jsonb_build_object($1, $2)
                WHERE NOT custom_field_data ? $1', target) USING NEW.name::text, NEW."default";
        ELSIF OLD.name <> NEW.name THEN
            EXECUTE format('UPDATE %s SET custom_field_data = (custom_field_data - $1) || jsonb_build_object($2, custom_field_data -> $1)
                WHERE custom_field_data ? $1', target) USING OLD.name::text, NEW.name::text;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_data AFTER INSERT OR DELETE OR UPDATE OF object_types, name ON extras_customfield
    FOR EACH ROW EXECUTE FUNCTION keep_custom_field_data();

CREATE FUNCTION keep_used_choices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    removed TEXT[];
    field RECORD;
    target REGCLASS;
    used TEXT;
BEGIN
    removed := ARRAY(
        SELECT pair ->> 0 FROM jsonb_array_elements(OLD.extra_choices) pair
        EXCEPT SELECT pair ->> 0 FROM jsonb_array_elements(NEW.extra_choices) pair);
    FOR field IN SELECT f.name::text AS name, unnest(f.object_types) AS object_type
        FROM extras_customfield f WHERE f.choice_set_id = NEW.id LOOP
        target := to_regclass(quote_ident(replace(field.object_type, '.', '_')));
        CONTINUE WHEN target IS NULL;
        -- A choice is kept as a text, several as a list of texts: ?| finds both.
        EXECUTE format('SELECT choice FROM %s, unnest($2) choice WHERE custom_field_data -> $1 ? choice LIMIT 1', target)
            INTO used USING field.name, removed;
        IF used IS NOT NULL THEN
            RAISE EXCEPTION 'A choice that is used cannot be removed.'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'extras_customfieldchoiceset_used',
                    TABLE = TG_TABLE_NAME, DETAIL = format('Cannot remove choice %s: objects of %s use it.', used, field.object_type);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_used AFTER UPDATE OF extra_choices ON extras_customfieldchoiceset
    FOR EACH ROW WHEN (OLD.extra_choices IS DISTINCT FROM NEW.extra_choices) EXECUTE FUNCTION keep_used_choices();
