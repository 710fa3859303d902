-- Secrets among the parameters of data sources, encrypted. The database has no key: the service encrypts those that are
-- stored in clear when it starts.
ALTER TABLE core_datasource ADD COLUMN password TEXT NOT NULL DEFAULT '', ADD COLUMN aws_secret_access_key TEXT NOT NULL DEFAULT '';

-- The change log has contained them so far.
UPDATE core_objectchange SET prechange_data = jsonb_set(prechange_data, '{parameters,password}', '"********"')
 WHERE changed_object_type = 'core.datasource' AND prechange_data #>> '{parameters,password}' <> '';
UPDATE core_objectchange SET postchange_data = jsonb_set(postchange_data, '{parameters,password}', '"********"')
 WHERE changed_object_type = 'core.datasource' AND postchange_data #>> '{parameters,password}' <> '';
UPDATE core_objectchange SET prechange_data = jsonb_set(prechange_data, '{parameters,aws_secret_access_key}', '"********"')
 WHERE changed_object_type = 'core.datasource' AND prechange_data #>> '{parameters,aws_secret_access_key}' <> '';
UPDATE core_objectchange SET postchange_data = jsonb_set(postchange_data, '{parameters,aws_secret_access_key}', '"********"')
 WHERE changed_object_type = 'core.datasource' AND postchange_data #>> '{parameters,aws_secret_access_key}' <> '';
