-- Ranges of addresses, groups of first-hop redundancy, and services.

CREATE TYPE ipam_inetrange AS RANGE (subtype = inet);

CREATE TABLE ipam_iprange (
    id BIGSERIAL PRIMARY KEY,
    start_address INET NOT NULL,
    end_address INET NOT NULL,
    vrf_id BIGINT,
    tenant_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role_id BIGINT,
    mark_populated BOOLEAN NOT NULL DEFAULT false,
    mark_utilized BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_iprange_order_check CHECK (host(start_address)::inet <= host(end_address)::inet),
    -- The last word when the trigger below did not see a rival.
    CONSTRAINT ipam_iprange_no_overlap EXCLUDE USING gist (
        coalesce(vrf_id, 0) WITH =, ipam_inetrange(host(start_address)::inet, host(end_address)::inet, '[]') WITH &&),
    CONSTRAINT ipam_iprange_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_iprange_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_iprange_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX ipam_iprange_range_idx ON ipam_iprange USING gist (ipam_inetrange(host(start_address)::inet, host(end_address)::inet, '[]'));
CREATE INDEX ipam_iprange_order_idx ON ipam_iprange (vrf_id NULLS FIRST, (host(start_address)::inet), (masklen(start_address)), id);
CREATE INDEX ipam_iprange_vrf_id_idx ON ipam_iprange (vrf_id);
CREATE INDEX ipam_iprange_tenant_id_idx ON ipam_iprange (tenant_id);
CREATE INDEX ipam_iprange_role_id_idx ON ipam_iprange (role_id);
SELECT keep_row_count('ipam_iprange', 'ipam.iprange');

-- `10.0.0.1-20/24`: what both ends have in common is written once.
CREATE FUNCTION ipam_range_name(first INET, last INET) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    separator CONSTANT TEXT := CASE family(first) WHEN 4 THEN '.' ELSE ':' END;
    head CONSTANT TEXT[] := string_to_array(host(first), separator);
    tail CONSTANT TEXT[] := string_to_array(host(last), separator);
    same INTEGER := 0;
BEGIN
    WHILE same + 1 < least(cardinality(head), cardinality(tail)) AND head[same + 1] = tail[same + 1] LOOP
        same := same + 1;
    END LOOP;
    RETURN concat(host(first), '-', array_to_string(tail[same + 1:], separator), '/', masklen(first));
END $$;

CREATE FUNCTION ipam_place_range() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    rival TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(NEW.vrf_id, 0)::text, 100600));
    SELECT ipam_range_name(r.start_address, r.end_address) INTO rival FROM ipam_iprange r
        WHERE ipam_inetrange(host(r.start_address)::inet, host(r.end_address)::inet, '[]')
                && ipam_inetrange(host(NEW.start_address)::inet, host(NEW.end_address)::inet, '[]')
            AND r.vrf_id IS NOT DISTINCT FROM NEW.vrf_id AND r.id <> NEW.id
        ORDER BY r.start_address LIMIT 1;
    IF rival IS NOT NULL THEN
        RAISE EXCEPTION 'overlapping range' USING ERRCODE = 'check_violation', TABLE = 'ipam_iprange',
            CONSTRAINT = 'ipam_iprange_overlap', DETAIL = format('Defined addresses overlap with range %s in VRF %s', rival,
                coalesce((SELECT name || coalesce(' (' || rd || ')', '') FROM ipam_vrf WHERE id = NEW.vrf_id), 'None'));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_range BEFORE INSERT ON ipam_iprange FOR EACH ROW EXECUTE FUNCTION ipam_place_range();
CREATE TRIGGER move_range BEFORE UPDATE OF start_address, end_address, vrf_id ON ipam_iprange FOR EACH ROW
    WHEN ((OLD.start_address, OLD.end_address, OLD.vrf_id) IS DISTINCT FROM (NEW.start_address, NEW.end_address, NEW.vrf_id))
    EXECUTE FUNCTION ipam_place_range();

-- Where a range says that its addresses are kept elsewhere, none is made here.
CREATE FUNCTION ipam_refuse_populated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    within TEXT;
BEGIN
    SELECT ipam_range_name(r.start_address, r.end_address) INTO within FROM ipam_iprange r
        WHERE ipam_inetrange(host(r.start_address)::inet, host(r.end_address)::inet, '[]') @> host(NEW.address)::inet
            AND r.vrf_id IS NOT DISTINCT FROM NEW.vrf_id AND r.mark_populated LIMIT 1;
    IF within IS NOT NULL THEN
        RAISE EXCEPTION 'populated range' USING ERRCODE = 'check_violation', TABLE = 'ipam_ipaddress',
            CONSTRAINT = 'ipam_ipaddress_populated', COLUMN = 'address',
            DETAIL = format('Cannot create IP address %s inside range %s.', host(NEW.address) || '/' || masklen(NEW.address), within);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_populated BEFORE INSERT ON ipam_ipaddress FOR EACH ROW EXECUTE FUNCTION ipam_refuse_populated();

CREATE TABLE ipam_fhrpgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL DEFAULT '',
    protocol VARCHAR(50) NOT NULL,
    group_id SMALLINT NOT NULL,
    auth_type VARCHAR(50),
    auth_key VARCHAR(255) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_fhrpgroup_group_id_check CHECK (group_id >= 0)
);
CREATE INDEX ipam_fhrpgroup_protocol_group_id_id_idx ON ipam_fhrpgroup (protocol, group_id, id);
SELECT keep_row_count('ipam_fhrpgroup', 'ipam.fhrpgroup');

-- `80, 443-445`
CREATE FUNCTION ipam_port_list(ports INTEGER[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(CASE WHEN first = last THEN first::text ELSE first || '-' || last END, ', ' ORDER BY first)
    FROM (SELECT min(port) AS first, max(port) AS last
        FROM (SELECT port, port - row_number() OVER (ORDER BY port) AS run FROM (SELECT DISTINCT unnest(ports) AS port) each) runs
        GROUP BY run) spans
$$;

CREATE TABLE ipam_servicetemplate (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    protocol VARCHAR(50) NOT NULL,
    ports INTEGER[] NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX ipam_servicetemplate_name_key ON ipam_servicetemplate (name);
CREATE INDEX ipam_servicetemplate_ports_idx ON ipam_servicetemplate USING gin (ports);
SELECT keep_row_count('ipam_servicetemplate', 'ipam.servicetemplate');

CREATE TABLE ipam_service (
    id BIGSERIAL PRIMARY KEY,
    parent_object_type VARCHAR(100) NOT NULL,
    parent_object_id BIGINT NOT NULL,
    name VARCHAR(100) NOT NULL,
    protocol VARCHAR(50) NOT NULL,
    ports INTEGER[] NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE INDEX ipam_service_parent_object_type_parent_object_id_idx ON ipam_service (parent_object_type, parent_object_id);
CREATE INDEX ipam_service_ports_idx ON ipam_service USING gin (ports);
CREATE INDEX ipam_service_name_idx ON ipam_service (name);
SELECT keep_row_count('ipam_service', 'ipam.service');

CREATE TABLE ipam_service_ipaddresses (
    service_id BIGINT NOT NULL,
    ipaddress_id BIGINT NOT NULL,
    CONSTRAINT ipam_service_ipaddresses_pkey PRIMARY KEY (service_id, ipaddress_id),
    CONSTRAINT ipam_service_ipaddresses_service_id_fkey FOREIGN KEY (service_id) REFERENCES ipam_service (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT ipam_service_ipaddresses_ipaddress_id_fkey FOREIGN KEY (ipaddress_id) REFERENCES ipam_ipaddress (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ipam_service_ipaddresses_ipaddress_id_idx ON ipam_service_ipaddresses (ipaddress_id);
