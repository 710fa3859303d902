CREATE TABLE extras_pager (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(150) NOT NULL,
    service_url VARCHAR(500) NOT NULL,
    access_key TEXT NOT NULL,
    access_key_digest VARCHAR(64) NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_pager_name_key ON extras_pager (name);
CREATE INDEX extras_pager_access_key_digest_idx ON extras_pager (access_key_digest);
SELECT keep_row_count('extras_pager', 'extras.pager');
SELECT changes.watch_table('extras_pager', 9001);
CREATE TRIGGER rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON extras_pager
    FOR EACH STATEMENT EXECUTE FUNCTION event_rules_changed();
