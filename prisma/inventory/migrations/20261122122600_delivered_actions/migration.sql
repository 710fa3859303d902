-- An event rule acts in several ways, and what leaves the service is a delivery whatever its kind: it names its action as
-- the rule does. webhook_id stays, for it is null once the webhook is gone; action_object_id keeps what it was.
ALTER TABLE webhook_deliveries
    ADD COLUMN action_type VARCHAR(30) NOT NULL DEFAULT 'webhook',
    ADD COLUMN action_object_id BIGINT;
UPDATE webhook_deliveries SET action_object_id = webhook_id;

-- The order per object is that of one action, not of webhooks alone.
CREATE INDEX webhook_deliveries_action_type_action_object_id_object_type_idx ON webhook_deliveries (action_type, action_object_id, object_type, object_id, status, sequence);
DROP INDEX webhook_deliveries_webhook_id_object_type_object_id_status__idx;
CREATE INDEX webhook_deliveries_webhook_id_idx ON webhook_deliveries (webhook_id);

-- A channel of a chat server that event rules write messages to.
CREATE TABLE extras_chatdestination (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(150) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    server_url VARCHAR(500) NOT NULL,
    bot_email VARCHAR(254) NOT NULL,
    -- Sealed (AES-256-GCM, "v1.<key id>.…"). Never leaves the service but to the chat server.
    bot_key TEXT NOT NULL,
    bot_key_digest VARCHAR(64) NOT NULL DEFAULT '',
    channel VARCHAR(100) NOT NULL,
    topic_template TEXT NOT NULL,
    message_template TEXT NOT NULL,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    owner_id BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_chatdestination_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_chatdestination_name_key ON extras_chatdestination (name);
CREATE INDEX extras_chatdestination_owner_id_idx ON extras_chatdestination (owner_id);
CREATE INDEX extras_chatdestination_bot_key_digest_idx ON extras_chatdestination (bot_key_digest);
SELECT keep_row_count('extras_chatdestination', 'extras.chatdestination');
