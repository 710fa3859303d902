-- Interfaces are sorted by their names in a form that dcim_interface_order() computes. It is stored, so that sorting and
-- skipping rows computes nothing: no index can give out an expression without the columns that it is made from.
ALTER TABLE dcim_interface ADD COLUMN _order TEXT COLLATE "C";
ALTER TABLE virtualization_vminterface ADD COLUMN _order TEXT COLLATE "C";

CREATE FUNCTION dcim_keep_interface_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW._order := dcim_interface_order(NEW.name);
    RETURN NEW;
END $$;
CREATE TRIGGER keep_order BEFORE INSERT OR UPDATE OF name, _order ON dcim_interface
    FOR EACH ROW EXECUTE FUNCTION dcim_keep_interface_order();
CREATE TRIGGER keep_order BEFORE INSERT OR UPDATE OF name, _order ON virtualization_vminterface
    FOR EACH ROW EXECUTE FUNCTION dcim_keep_interface_order();
