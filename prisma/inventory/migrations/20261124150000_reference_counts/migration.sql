-- How many rows refer to an object: the sum of n over the rows of a reference and an id. Writers only insert rows, so
-- that they never wait for each other; many rows of one object are folded into one in the background.
CREATE TABLE reference_counts (
    id BIGSERIAL PRIMARY KEY,
    reference TEXT NOT NULL,
    object_id BIGINT NOT NULL,
    n BIGINT NOT NULL
);
CREATE INDEX reference_counts_reference_object_id_idx ON reference_counts (reference, object_id);

-- Counts the rows of a table by the object that a column refers to. `reference` is <app>.<model>.<field>.
CREATE FUNCTION keep_reference_count(target regclass, own text, reference text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    base text := format('%s_%s', target, own);
BEGIN
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        INSERT INTO reference_counts (reference, object_id, n)
        SELECT %L, %I, count(*) FROM added WHERE %I IS NOT NULL GROUP BY %I;
        RETURN NULL;
    END $f$', base || '_added', reference, own, own, own);
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        INSERT INTO reference_counts (reference, object_id, n)
        SELECT %L, %I, -count(*) FROM removed WHERE %I IS NOT NULL GROUP BY %I;
        RETURN NULL;
    END $f$', base || '_removed', reference, own, own, own);
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        INSERT INTO reference_counts (reference, object_id, n)
        SELECT %L, moved.object_id, moved.n FROM (VALUES (OLD.%I, -1), (NEW.%I, 1)) AS moved (object_id, n)
         WHERE moved.object_id IS NOT NULL;
        RETURN NULL;
    END $f$', base || '_moved', reference, own, own);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %s REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION %I()', own || '_added', target, base || '_added');
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %s REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION %I()', own || '_removed', target, base || '_removed');
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE OF %I ON %s
        FOR EACH ROW WHEN (OLD.%I IS DISTINCT FROM NEW.%I) EXECUTE FUNCTION %I()',
        own || '_moved', own, target, own, own, base || '_moved');
    EXECUTE format('INSERT INTO reference_counts (reference, object_id, n)
        SELECT %L, %I, count(*) FROM %s WHERE %I IS NOT NULL GROUP BY %I', reference, own, target, own, own);
END $$;

SELECT keep_reference_count('dcim_device', 'device_type_id', 'dcim.device.device_type');
SELECT keep_reference_count('dcim_device', 'virtual_chassis_id', 'dcim.device.virtual_chassis');
SELECT keep_reference_count('dcim_module', 'module_type_id', 'dcim.module.module_type');
SELECT keep_reference_count('dcim_rack', 'rack_type_id', 'dcim.rack.rack_type');
