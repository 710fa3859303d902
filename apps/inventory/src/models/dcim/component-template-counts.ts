import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { referencedObjectPresenceFilter } from '../../engine/filter/presence-filter.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import type { ModelField } from '../../engine/declaration/field.js';

/** Name of the field by which a component template refers to its device type or module type. */
type ComponentTemplateOwnerFieldName = 'device_type' | 'module_type';

/**
 * Creates the fields with the number of a type's component templates of each kind. Includes only kinds that both device
 * types and module types can have.
 */
export function createTemplateCountFields(via: ComponentTemplateOwnerFieldName) {
  const count = (type: string): ModelField<never> =>
    referringObjectCountField(`dcim.${type}template`, { via, filter: true, metadataType: 'integer' });
  return {
    console_port_template_count: count('consoleport'),
    console_server_port_template_count: count('consoleserverport'),
    power_port_template_count: count('powerport'),
    power_outlet_template_count: count('poweroutlet'),
    interface_template_count: count('interface'),
    front_port_template_count: count('frontport'),
    rear_port_template_count: count('rearport'),
  };
}

/** Returns filters of device types or module types by whether they have component templates of a kind. */
export function createComponentTemplateFilters(via: ComponentTemplateOwnerFieldName): readonly ModelFilterFactory[] {
  const of = (...types: readonly string[]) =>
    types.map((type) => [resolveStepToReferringObjects(`dcim.${type}template`, via)]);
  return [
    referencedObjectPresenceFilter('console_ports', ...of('consoleport')),
    referencedObjectPresenceFilter('console_server_ports', ...of('consoleserverport')),
    referencedObjectPresenceFilter('power_ports', ...of('powerport')),
    referencedObjectPresenceFilter('power_outlets', ...of('poweroutlet')),
    referencedObjectPresenceFilter('interfaces', ...of('interface')),
    referencedObjectPresenceFilter('pass_through_ports', ...of('frontport', 'rearport')),
    referencedObjectPresenceFilter('module_bays', ...of('modulebay')),
  ];
}
