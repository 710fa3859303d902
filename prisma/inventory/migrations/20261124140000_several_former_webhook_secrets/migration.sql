-- The secrets that a webhook had before its present one, newest first, at most three: each with the time at which it was
-- replaced, since each signs until its own overlap ends. `secret_rotated` is the time of the oldest.
ALTER TABLE extras_webhook ADD COLUMN former_secrets JSONB NOT NULL DEFAULT '[]';
UPDATE extras_webhook SET former_secrets =
    jsonb_build_array(jsonb_build_object('secret', former_secret, 'rotated', extract(epoch FROM secret_rotated) * 1000))
  WHERE former_secret <> '' AND secret_rotated IS NOT NULL;
ALTER TABLE extras_webhook DROP COLUMN former_secret;

CREATE OR REPLACE FUNCTION keep_former_webhook_secret() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.secret = '' THEN
    NEW.former_secrets := '[]';
  ELSIF OLD.secret <> '' AND OLD.secret_digest <> '' THEN
    NEW.former_secrets := jsonb_path_query_array(
      jsonb_build_array(jsonb_build_object('secret', OLD.secret, 'rotated', extract(epoch FROM now()) * 1000)) || OLD.former_secrets,
      '$[0 to 2]');
  END IF;
  NEW.secret_rotated := to_timestamp((NEW.former_secrets -> -1 ->> 'rotated')::double precision / 1000);
  RETURN NEW;
END $$;
