-- A node without a parent has nothing above it that a move could change, so its creation takes no lock. Neither does that
-- of a whole tree in one transaction, which sets `inventory.creates_trees`: other transactions do not see its nodes.
CREATE OR REPLACE FUNCTION place_tree_node() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    above_path BIGINT[] := '{}';
    above_sort TEXT[] := '{}';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM pg_advisory_xact_lock(105000, TG_RELID::integer);
    ELSIF NEW.parent_id IS NOT NULL AND current_setting('inventory.creates_trees', true) IS DISTINCT FROM 'on' THEN
        PERFORM pg_advisory_xact_lock_shared(105000, TG_RELID::integer);
    END IF;
    IF NEW.parent_id IS NOT NULL THEN
        EXECUTE format('SELECT _path, _sort FROM %I WHERE id = $1', TG_TABLE_NAME)
            INTO above_path, above_sort USING NEW.parent_id;
        -- A parent that does not exist is the foreign key's to refuse.
        above_path := coalesce(above_path, '{}');
        above_sort := coalesce(above_sort, '{}');
        IF NEW.id = ANY (above_path) THEN
            RAISE EXCEPTION 'A node cannot stand below itself.'
                USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_parent_cycle', TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    NEW._path := above_path || NEW.id;
    NEW._sort := above_sort || NEW.name::text;
    NEW._depth := cardinality(above_path);
    RETURN NEW;
END $$;
