-- Keys that are stored sealed, each with a keyed digest by which equal ones are found. The database has no key to seal
-- with: what is stored in clear is sealed when the service starts, and told by its missing digest until then.
ALTER TABLE vpn_ikepolicy ADD COLUMN preshared_key_digest VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE ipam_fhrpgroup ALTER COLUMN auth_key TYPE TEXT, ADD COLUMN auth_key_digest VARCHAR(64) NOT NULL DEFAULT '';

CREATE INDEX vpn_ikepolicy_preshared_key_digest_idx ON vpn_ikepolicy (preshared_key_digest);
CREATE INDEX ipam_fhrpgroup_auth_key_digest_idx ON ipam_fhrpgroup (auth_key_digest);

-- The change log has kept keys in clear so far.
UPDATE core_objectchange SET prechange_data = jsonb_set(prechange_data, '{auth_key}', '"********"')
 WHERE changed_object_type = 'ipam.fhrpgroup' AND prechange_data ->> 'auth_key' <> '';
UPDATE core_objectchange SET postchange_data = jsonb_set(postchange_data, '{auth_key}', '"********"')
 WHERE changed_object_type = 'ipam.fhrpgroup' AND postchange_data ->> 'auth_key' <> '';
