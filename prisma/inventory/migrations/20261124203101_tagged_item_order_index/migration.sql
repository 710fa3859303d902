CREATE INDEX CONCURRENTLY extras_taggeditem_tag_id_id_idx ON extras_taggeditem (tag_id, id);
