CREATE INDEX CONCURRENTLY virtualization_vminterface_virtual_machine_id__order_id_idx
    ON virtualization_vminterface (virtual_machine_id, _order, id);
