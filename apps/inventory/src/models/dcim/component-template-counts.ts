import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { presenceFilter } from '../../engine/filter/presence-filter.js';
import { referringCountField } from '../../engine/field-types/computed-field.js';
import type { ModelField } from '../../engine/declaration/field.js';

/** Name of the field by which a component template refers to its device type or module type. */
type TemplateOwnerField = 'device_type' | 'module_type';

/**
 * Creates the fields with the number of a type's component templates of each kind. Includes only kinds that both device
 * types and module types can have.
 */
export function templateCounts(via: TemplateOwnerField) {
  const count = (type: string): ModelField<never> =>
    referringCountField(`dcim.${type}template`, { via, filter: true, metadataType: 'integer' });
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
export function templateFilters(via: TemplateOwnerField): readonly CreateFilters[] {
  const of = (...types: readonly string[]) =>
    types.map((type) => [resolveStepToReferringObjects(`dcim.${type}template`, via)]);
  return [
    presenceFilter('console_ports', ...of('consoleport')),
    presenceFilter('console_server_ports', ...of('consoleserverport')),
    presenceFilter('power_ports', ...of('powerport')),
    presenceFilter('power_outlets', ...of('poweroutlet')),
    presenceFilter('interfaces', ...of('interface')),
    presenceFilter('pass_through_ports', ...of('frontport', 'rearport')),
    presenceFilter('module_bays', ...of('modulebay')),
  ];
}
