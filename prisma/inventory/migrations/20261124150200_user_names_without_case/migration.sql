-- No two users have names that differ by case alone. Names that are stored already stay, also those that differ by nothing
-- else, which is why this is a trigger and no unique index. The lock makes two writers of one name wait for each other.

CREATE INDEX users_user_username_lower_idx ON users_user (lower(username));

CREATE FUNCTION users_refuse_similar_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('users_user.username ' || lower(NEW.username), 0));
    -- The index of exact names refuses the same name.
    IF EXISTS (SELECT FROM users_user WHERE lower(username) = lower(NEW.username) AND username <> NEW.username AND id <> NEW.id) THEN
        RAISE EXCEPTION 'A user with this username already exists.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'users_user_username_similar', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_similar_username BEFORE INSERT ON users_user FOR EACH ROW EXECUTE FUNCTION users_refuse_similar_username();
CREATE TRIGGER refuse_similar_new_username BEFORE UPDATE OF username ON users_user FOR EACH ROW
    WHEN (NEW.username IS DISTINCT FROM OLD.username) EXECUTE FUNCTION users_refuse_similar_username();
