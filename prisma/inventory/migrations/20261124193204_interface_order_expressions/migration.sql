-- The indexes on the expression, which the column replaces.
DROP INDEX dcim_interface_order_idx;
DROP INDEX virtualization_vminterface_order_idx;
