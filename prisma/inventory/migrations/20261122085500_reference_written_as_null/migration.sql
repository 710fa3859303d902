-- Called by a statement that made an object and takes a reference for null, because null was written, when a trigger has
-- filled it: the statement is run again in a form that looks the reference up. SQLSTATE 40001, as for every transaction
-- that succeeds when it is run again.
CREATE FUNCTION reference_written_as_null() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a reference written as null was filled' USING ERRCODE = '40001';
END $$;
