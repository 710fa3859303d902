-- Sessions of a user that is deactivated end, so that none of them lives on when the account comes back.
CREATE FUNCTION users_end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM users_session WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER end_sessions AFTER UPDATE OF is_active ON users_user FOR EACH ROW
    WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION users_end_sessions();
DELETE FROM users_session s USING users_user u WHERE u.id = s.user_id AND NOT u.is_active;
