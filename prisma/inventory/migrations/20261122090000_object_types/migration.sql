-- Every model has a number, by which others refer to it in filters. A table's migration names its model to
-- keep_row_count, so that is where a new model gets its number.
CREATE TABLE core_objecttype (
    id BIGSERIAL PRIMARY KEY,
    app_label VARCHAR(100) NOT NULL,
    model VARCHAR(100) NOT NULL
);
CREATE UNIQUE INDEX core_objecttype_app_label_model_key ON core_objecttype (app_label, model);

CREATE OR REPLACE FUNCTION keep_row_count(target regclass, model text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER count_added AFTER INSERT ON %s REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_added_rows(%L)', target, model);
    EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %s REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION count_removed_rows(%L)', target, model);
    EXECUTE format('CREATE TRIGGER count_truncated AFTER TRUNCATE ON %s
        FOR EACH STATEMENT EXECUTE FUNCTION forget_row_count(%L)', target, model);
    INSERT INTO core_objecttype (app_label, model) VALUES (split_part($2, '.', 1), split_part($2, '.', 2))
    ON CONFLICT DO NOTHING;
END $$;

SELECT keep_row_count('core_objecttype', 'core.objecttype');

-- The models of the tables that are there: the argument of the trigger that counts their rows.
INSERT INTO core_objecttype (app_label, model)
SELECT split_part(type, '.', 1), split_part(type, '.', 2)
  FROM (SELECT convert_from(substring(tgargs FOR length(tgargs) - 1), 'UTF8') AS type
          FROM pg_trigger WHERE tgname = 'count_added') known
 ORDER BY type
ON CONFLICT DO NOTHING;
