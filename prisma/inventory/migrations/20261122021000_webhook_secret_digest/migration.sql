-- A keyed digest of the sealed secret, by which equal ones are found. Secrets from before get theirs when next written.
ALTER TABLE extras_webhook ADD COLUMN secret_digest VARCHAR(64) NOT NULL DEFAULT '';
