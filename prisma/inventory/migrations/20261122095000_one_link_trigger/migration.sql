-- Interfaces are told of their wireless link by wireless_note_link already.
DROP TRIGGER attach_interfaces ON wireless_wirelesslink;
DROP FUNCTION wireless_attach_interfaces();
