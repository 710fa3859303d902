-- Grows with each change of an event rule or of what one acts upon: whoever has the rules in memory learns by one number
-- that they are still those. In the transaction of the change, so that a number and its rules are seen together.
CREATE TABLE event_rules_version (
    id BOOLEAN PRIMARY KEY DEFAULT true,
    version BIGINT NOT NULL,
    CONSTRAINT event_rules_version_single CHECK (id)
);
INSERT INTO event_rules_version (version) VALUES (1);

CREATE FUNCTION event_rules_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_rules_version AS v (version) VALUES (1) ON CONFLICT (id) DO UPDATE SET version = v.version + 1;
    RETURN NULL;
END $$;

DO $$
DECLARE
    target TEXT;
BEGIN
    FOREACH target IN ARRAY ARRAY['extras_eventrule', 'extras_webhook', 'extras_chatdestination', 'extras_notificationgroup', 'extras_script'] LOOP
        EXECUTE format('CREATE TRIGGER rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
            FOR EACH STATEMENT EXECUTE FUNCTION event_rules_changed()', target);
    END LOOP;
END $$;
