-- Cable paths: each connects the endpoints at one end of a link with what they lead to (docs/adr/0032). The service traces them
-- and writes them in the transaction that changes them.
CREATE TABLE dcim_cablepath (
    id BIGSERIAL PRIMARY KEY,
    is_active BOOLEAN NOT NULL,
    is_complete BOOLEAN NOT NULL,
    is_split BOOLEAN NOT NULL
);

-- Objects of a path, without foreign keys because they are of many models. Each three steps are a hop: the near ends, the
-- links and the far ends.
CREATE TABLE dcim_cablepathnode (
    path_id BIGINT NOT NULL,
    step INTEGER NOT NULL,
    place INTEGER NOT NULL,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    is_origin BOOLEAN NOT NULL,
    is_destination BOOLEAN NOT NULL,
    CONSTRAINT dcim_cablepathnode_pkey PRIMARY KEY (path_id, step, place),
    CONSTRAINT dcim_cablepathnode_path_id_fkey FOREIGN KEY (path_id) REFERENCES dcim_cablepath (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX dcim_cablepathnode_object_type_object_id_idx ON dcim_cablepathnode (object_type, object_id);
CREATE UNIQUE INDEX dcim_cablepathnode_origin ON dcim_cablepathnode (object_type, object_id) WHERE is_origin;

SELECT changes.watch_table('dcim_cablepath', 171);
SELECT changes.watch_table('dcim_cablepathnode', 172);
