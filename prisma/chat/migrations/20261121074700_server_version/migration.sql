-- The version that clients were last told of: one row, which the first process of another version changes.
CREATE TABLE server_version (
  id boolean PRIMARY KEY DEFAULT true,
  zulip_version text NOT NULL,
  zulip_merge_base text NOT NULL,
  zulip_feature_level integer NOT NULL,
  announced_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT server_version_one_row CHECK (id)
);
