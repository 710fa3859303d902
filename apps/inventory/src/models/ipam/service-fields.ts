import { integerListFilter } from '../../engine/filter/integer-list-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { createListField } from '../../engine/field-types/text-list.js';
import { parseIntegerInput } from '../../engine/field-types/number.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

const transportProtocols = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' };

/**
 * Field with the transport protocol of a service. A request can omit the field, but {@link requireServiceProtocol} then
 * rejects the object.
 */
export const serviceProtocolField = choiceField(transportProtocols, { default: null, filterSingle: true });

/** Checks the rule that a service must have a transport protocol. */
export function requireServiceProtocol(row: {
  readonly protocol?: string | number | null;
}): Record<string, string[]> | null {
  return row.protocol === null || row.protocol === undefined ? { protocol: ['This field cannot be blank.'] } : null;
}

/** Field with the port numbers of a service. The field has the filter `port`. */
export const servicePortsField = createListField<number>({
  required: true,
  nonEmpty: true,
  label: 'port numbers',
  columnType: 'integer[]',
  child: { type: 'integer', label: 'Ports', min_value: 1, max_value: 65_535 },
  itemSchema: { type: 'integer', minimum: 1, maximum: 65_535 },
  item: (value) => parseIntegerInput(value, { min: 1, max: 65_535 }, false) ?? 0,
  filters: () => [integerListFilter('port', (alias) => `${alias}.ports`)],
});

/** Returns the SQL expression of a service's display name, such as `https (TCP/443, 8443-8445)`. */
export function createServiceNameSql(alias: string): SqlText {
  return `concat(${alias}.name, ' (', upper(${alias}.protocol), '/', ipam_port_list(${alias}.ports), ')')`;
}
