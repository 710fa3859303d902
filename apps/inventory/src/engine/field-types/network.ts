import type { ModelField } from '../declaration/field.js';
import { createJsonStringFragment, createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { type ParsedIpNetwork, parseIpNetwork } from './ip-network.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Creates a field for an IP prefix, stored as `cidr`. An address with bits set after the prefix length is rejected. */
export function cidrField(options: FieldPropertyOptions<string> = {}): ModelField<string> {
  const own = addDefaultFieldProperties(options, '');
  return {
    kind: 'cidr',
    traits: own,
    column: (name) => ({ name, type: 'cidr' }),
    json: (place) => [createJsonStringFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [createJsonStringFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => {
      const network = parseIpNetworkInput(value);
      if (network.hostBits) {
        throw createInvalidInputProblem(
          `${network.address}/${network.length} is not a valid prefix: bits of the host part are set.`,
        );
      }
      return `${network.address}/${network.length}`;
    },
    schema: { read: () => ({ type: 'string' }), write: () => ({ type: 'string', minLength: 1 }) },
    metadata: { type: 'string' },
    filters: () => [],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

/**
 * Creates a field for an IP address with its mask length, stored as `inet`. Input without a mask length is a single
 * host, and gets the mask length /32 (IPv4) or /128 (IPv6).
 */
export function inetField(options: FieldPropertyOptions<string> = {}): ModelField<string> {
  const own = addDefaultFieldProperties(options, '');
  return {
    kind: 'inet',
    traits: own,
    column: (name) => ({ name, type: 'inet' }),
    json: (place) => [
      createComputedJsonFragment(createAddressWithMaskSql(createQualifiedColumnSql(place, place.name))),
    ],
    snapshot: (place) => [
      createComputedJsonFragment(createAddressWithMaskSql(createQualifiedColumnSql(place, place.name))),
    ],
    input: (value) => {
      const address = parseIpNetworkInput(value);
      return `${address.address}/${address.length}`;
    },
    schema: { read: () => ({ type: 'string' }), write: () => ({ type: 'string', minLength: 1 }) },
    metadata: { type: 'string' },
    filters: () => [],
    order: (place) => [
      `host(${createQualifiedColumnSql(place, place.name)})::inet`,
      `masklen(${createQualifiedColumnSql(place, place.name)})`,
    ],
  };
}

/**
 * Returns the SQL expression of an IP address with its mask length. PostgreSQL omits the mask length of a single host
 * when it converts `inet` to text.
 */
function createAddressWithMaskSql(column: string): string {
  return `concat('"', host(${column}), '/', masklen(${column}), '"')`;
}

function parseIpNetworkInput(value: unknown): ParsedIpNetwork {
  if (value === null) throw createInvalidInputProblem('This field may not be null.');
  if (typeof value !== 'string') throw createInvalidInputProblem('Not a valid string.');
  if (value.trim() === '') throw createInvalidInputProblem('This field may not be blank.');
  const parsed = parseIpNetwork(value);
  if (parsed === null) throw createInvalidInputProblem(`${value.trim()} is not a valid IPv4 or IPv6 address.`);
  return parsed;
}
