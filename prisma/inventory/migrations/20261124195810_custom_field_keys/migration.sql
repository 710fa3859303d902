-- Keys the stored values of custom fields by pairs in place of names, in batches, each committed: no reader or writer
-- waits. One statement, outside of a transaction; run again it goes on. No name of a field begins with '#'.
DO $$
DECLARE
    target REGCLASS;
    kind TEXT;
    keys JSONB;
    next_id BIGINT;
    last_id BIGINT;
    step CONSTANT BIGINT := 2000;
BEGIN
    FOR kind IN SELECT DISTINCT object_type FROM extras_customfield_pair WHERE custom_field_id IS NOT NULL LOOP
        target := to_regclass(quote_ident(replace(kind, '.', '_')));
        CONTINUE WHEN target IS NULL;
        keys := (SELECT jsonb_object_agg(f.name, '#' || p.id) FROM extras_customfield_pair p
            JOIN extras_customfield f ON f.id = p.custom_field_id WHERE p.object_type = kind);
        EXECUTE format('SELECT min(id), max(id) FROM %s', target) INTO next_id, last_id;
        WHILE next_id <= last_id LOOP
            EXECUTE format('UPDATE %s SET custom_field_data = coalesce((
                    SELECT jsonb_object_agg(CASE WHEN left(v.key, 1) = ''#'' THEN v.key ELSE $1 ->> v.key END, v.value)
                    FROM jsonb_each(custom_field_data) v
                    WHERE left(v.key, 1) = ''#'' OR $1 ? v.key AND v.value <> ''null''), ''{}'')
                WHERE id >= $2 AND id < $3
                    AND EXISTS (SELECT FROM jsonb_object_keys(custom_field_data) k WHERE left(k, 1) <> ''#'')', target)
                USING keys, next_id, next_id + step;
            COMMIT;
            next_id := next_id + step;
        END LOOP;
    END LOOP;
END $$;
