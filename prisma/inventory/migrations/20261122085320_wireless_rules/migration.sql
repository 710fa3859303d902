-- Keys of wireless networks are sealed, and found by keyed digests.
ALTER TABLE wireless_wirelesslan ALTER COLUMN auth_psk TYPE TEXT, ADD COLUMN auth_psk_digest VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE wireless_wirelesslink ALTER COLUMN auth_psk TYPE TEXT, ADD COLUMN auth_psk_digest VARCHAR(64) NOT NULL DEFAULT '';
CREATE INDEX wireless_wirelesslan_auth_psk_digest_idx ON wireless_wirelesslan (auth_psk_digest);
CREATE INDEX wireless_wirelesslink_auth_psk_digest_idx ON wireless_wirelesslink (auth_psk_digest);

-- A wireless link is between wireless interfaces, which know it.
CREATE FUNCTION wireless_check_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    side TEXT;
    type_of TEXT;
BEGIN
    FOREACH side IN ARRAY ARRAY['a', 'b'] LOOP
        SELECT i.type INTO type_of FROM dcim_interface i
            WHERE i.id = CASE side WHEN 'a' THEN NEW.interface_a_id ELSE NEW.interface_b_id END FOR SHARE;
        IF type_of !~ '^(ieee802\.1[15]|other-wireless$|gsm$|cdma$|lte$|4g$|5g$)' THEN
            RAISE EXCEPTION 'no wireless interface' USING ERRCODE = 'check_violation', TABLE = 'wireless_wirelesslink',
                CONSTRAINT = 'wireless_wirelesslink_interface_' || side, DETAIL = type_of;
        END IF;
    END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER check_link BEFORE INSERT ON wireless_wirelesslink FOR EACH ROW EXECUTE FUNCTION wireless_check_link();
CREATE TRIGGER recheck_link BEFORE UPDATE OF interface_a_id, interface_b_id ON wireless_wirelesslink FOR EACH ROW
    WHEN ((OLD.interface_a_id, OLD.interface_b_id) IS DISTINCT FROM (NEW.interface_a_id, NEW.interface_b_id))
    EXECUTE FUNCTION wireless_check_link();

CREATE FUNCTION wireless_note_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE dcim_interface SET wireless_link_id = NULL
            WHERE id IN (OLD.interface_a_id, OLD.interface_b_id) AND wireless_link_id = OLD.id;
    END IF;
    UPDATE dcim_interface SET wireless_link_id = NEW.id WHERE id IN (NEW.interface_a_id, NEW.interface_b_id);
    RETURN NULL;
END $$;
CREATE TRIGGER note_link AFTER INSERT ON wireless_wirelesslink FOR EACH ROW EXECUTE FUNCTION wireless_note_link();
CREATE TRIGGER switch_link AFTER UPDATE OF interface_a_id, interface_b_id ON wireless_wirelesslink FOR EACH ROW
    WHEN ((OLD.interface_a_id, OLD.interface_b_id) IS DISTINCT FROM (NEW.interface_a_id, NEW.interface_b_id))
    EXECUTE FUNCTION wireless_note_link();
