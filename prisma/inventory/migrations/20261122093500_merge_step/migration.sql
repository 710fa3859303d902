-- As before, in a language whose plans are kept: an aggregate starts an SQL function anew for each of its rows.
CREATE OR REPLACE FUNCTION extras_merge_step(older JSONB, newer JSONB) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF older = '{}' THEN
        RETURN newer;
    END IF;
    RETURN extras_merge_objects(older, newer, 100);
END $$;
