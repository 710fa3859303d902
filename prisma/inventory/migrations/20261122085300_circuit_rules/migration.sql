-- What circuits have in common with accounts, ends and interfaces.

-- An account is billed by one provider, and so are its circuits. The account cannot change hands meanwhile.
CREATE FUNCTION circuits_check_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    biller BIGINT;
    seller BIGINT;
BEGIN
    SELECT a.provider_id INTO biller FROM circuits_provideraccount a WHERE a.id = NEW.provider_account_id FOR KEY SHARE;
    IF TG_TABLE_NAME = 'circuits_circuit' THEN
        seller := NEW.provider_id;
    ELSE
        SELECT n.provider_id INTO seller FROM circuits_providernetwork n WHERE n.id = NEW.provider_network_id FOR KEY SHARE;
    END IF;
    -- What is not there is the foreign keys' to refuse.
    IF biller <> seller THEN
        RAISE EXCEPTION 'account of another provider' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = TG_TABLE_NAME || '_account';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_account BEFORE INSERT ON circuits_circuit
    FOR EACH ROW WHEN (NEW.provider_account_id IS NOT NULL) EXECUTE FUNCTION circuits_check_account();
CREATE TRIGGER recheck_account BEFORE UPDATE OF provider_id, provider_account_id ON circuits_circuit FOR EACH ROW
    WHEN (NEW.provider_account_id IS NOT NULL AND (OLD.provider_id, OLD.provider_account_id) IS DISTINCT FROM (NEW.provider_id, NEW.provider_account_id))
    EXECUTE FUNCTION circuits_check_account();
CREATE TRIGGER check_account BEFORE INSERT ON circuits_virtualcircuit
    FOR EACH ROW WHEN (NEW.provider_account_id IS NOT NULL) EXECUTE FUNCTION circuits_check_account();
CREATE TRIGGER recheck_account BEFORE UPDATE OF provider_network_id, provider_account_id ON circuits_virtualcircuit FOR EACH ROW
    WHEN (NEW.provider_account_id IS NOT NULL AND (OLD.provider_network_id, OLD.provider_account_id) IS DISTINCT FROM (NEW.provider_network_id, NEW.provider_account_id))
    EXECUTE FUNCTION circuits_check_account();

-- A site counts the ends in it, those in its locations included.
ALTER TABLE circuits_circuittermination ADD COLUMN _site_id BIGINT;
ALTER TABLE circuits_circuittermination ADD CONSTRAINT circuits_circuittermination__site_id_fkey FOREIGN KEY (_site_id) REFERENCES dcim_site (id) ON DELETE CASCADE ON UPDATE CASCADE;
UPDATE circuits_circuittermination t SET _site_id = CASE t.termination_type
    WHEN 'dcim.site' THEN t.termination_id
    WHEN 'dcim.location' THEN (SELECT l.site_id FROM dcim_location l WHERE l.id = t.termination_id) END;
CREATE INDEX circuits_circuittermination__site_id_idx ON circuits_circuittermination (_site_id);

CREATE FUNCTION circuits_place_termination() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW._site_id := CASE NEW.termination_type
        WHEN 'dcim.site' THEN NEW.termination_id
        WHEN 'dcim.location' THEN (SELECT l.site_id FROM dcim_location l WHERE l.id = NEW.termination_id) END;
    RETURN NEW;
END $$;
CREATE TRIGGER place_termination BEFORE INSERT OR UPDATE OF termination_type, termination_id ON circuits_circuittermination
    FOR EACH ROW EXECUTE FUNCTION circuits_place_termination();

CREATE FUNCTION circuits_move_terminations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE circuits_circuittermination SET _site_id = NEW.site_id WHERE termination_type = 'dcim.location' AND termination_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER move_terminations AFTER UPDATE OF site_id ON dcim_location FOR EACH ROW
    WHEN (OLD.site_id IS DISTINCT FROM NEW.site_id) EXECUTE FUNCTION circuits_move_terminations();

-- A circuit knows its two ends. An end that goes is forgotten by the foreign key.
CREATE FUNCTION circuits_note_terminations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE circuits_circuit c SET termination_a_id = coalesce(e.a, c.termination_a_id), termination_z_id = coalesce(e.z, c.termination_z_id)
    FROM (SELECT circuit_id, max(id) FILTER (WHERE term_side = 'A') AS a, max(id) FILTER (WHERE term_side = 'Z') AS z FROM added GROUP BY circuit_id) e
    WHERE c.id = e.circuit_id;
    RETURN NULL;
END $$;
CREATE TRIGGER note_terminations AFTER INSERT ON circuits_circuittermination REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION circuits_note_terminations();

CREATE FUNCTION circuits_switch_termination() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE circuits_circuit SET termination_a_id = nullif(termination_a_id, NEW.id), termination_z_id = nullif(termination_z_id, NEW.id)
        WHERE id = OLD.circuit_id AND NEW.id IN (termination_a_id, termination_z_id);
    UPDATE circuits_circuit SET
            termination_a_id = CASE NEW.term_side WHEN 'A' THEN NEW.id ELSE termination_a_id END,
            termination_z_id = CASE NEW.term_side WHEN 'Z' THEN NEW.id ELSE termination_z_id END
        WHERE id = NEW.circuit_id;
    RETURN NULL;
END $$;
CREATE TRIGGER switch_termination AFTER UPDATE OF circuit_id, term_side ON circuits_circuittermination FOR EACH ROW
    WHEN ((OLD.circuit_id, OLD.term_side) IS DISTINCT FROM (NEW.circuit_id, NEW.term_side))
    EXECUTE FUNCTION circuits_switch_termination();

UPDATE circuits_circuit c SET
    termination_a_id = (SELECT e.id FROM circuits_circuittermination e WHERE e.circuit_id = c.id AND e.term_side = 'A'),
    termination_z_id = (SELECT e.id FROM circuits_circuittermination e WHERE e.circuit_id = c.id AND e.term_side = 'Z');

-- Virtual circuits end at interfaces that nothing is plugged into.
CREATE FUNCTION circuits_check_interface() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT i.type NOT IN ('virtual', 'bridge', 'lag') FROM dcim_interface i WHERE i.id = NEW.interface_id FOR SHARE) THEN
        RAISE EXCEPTION 'interface of another type' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = 'circuits_virtualcircuittermination_interface_type';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_interface BEFORE INSERT ON circuits_virtualcircuittermination
    FOR EACH ROW EXECUTE FUNCTION circuits_check_interface();
CREATE TRIGGER recheck_interface BEFORE UPDATE OF interface_id ON circuits_virtualcircuittermination FOR EACH ROW
    WHEN (OLD.interface_id IS DISTINCT FROM NEW.interface_id) EXECUTE FUNCTION circuits_check_interface();
