-- The secret that a webhook had before its present one, sealed as that is, and when it was replaced. Deliveries are
-- signed by both for a while, so that a receiver can be given the new one meanwhile.
ALTER TABLE extras_webhook
  ADD COLUMN former_secret  TEXT NOT NULL DEFAULT '',
  ADD COLUMN secret_rotated TIMESTAMPTZ(6);

-- Few webhooks have one at a time: those that must forget it are found without looking at the others.
CREATE INDEX extras_webhook_secret_rotated_idx ON extras_webhook (secret_rotated);

-- Whoever writes a secret, and by whichever statement, the former one is kept. Only a digest tells two sealed texts of
-- one secret from those of two, and what has none may be in clear still, which is not to be copied.
CREATE FUNCTION keep_former_webhook_secret() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.secret = '' OR OLD.secret = '' OR OLD.secret_digest = '' THEN
    NEW.former_secret := '';
    NEW.secret_rotated := NULL;
  ELSE
    NEW.former_secret := OLD.secret;
    NEW.secret_rotated := now();
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER keep_former_secret BEFORE UPDATE ON extras_webhook
  FOR EACH ROW WHEN (OLD.secret <> NEW.secret AND (NEW.secret = '' OR OLD.secret_digest <> NEW.secret_digest))
  EXECUTE FUNCTION keep_former_webhook_secret();
