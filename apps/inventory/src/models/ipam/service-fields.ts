import type { Filter } from '../../engine/filter/filter.js';
import { FilterProblem, readFlag } from '../../engine/filter/filter.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { choice } from '../../engine/kinds/choice.js';
import { list } from '../../engine/kinds/list.js';
import { readInteger } from '../../engine/kinds/number.js';
import type { Sql } from '../../engine/sql/pieces.js';

const protocols = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' };

/** What carries a service. A body may leave it out; the model may not. */
export const protocol = choice(protocols, { default: null, filterSingle: true });

/** The rule that goes with {@link protocol}. */
export function requireProtocol(row: { readonly protocol?: string | number | null }): Record<string, string[]> | null {
  return row.protocol === null || row.protocol === undefined ? { protocol: ['This field cannot be blank.'] } : null;
}

/** The ports of a service; found by `port`. */
export const ports = list<number>({
  required: true,
  nonEmpty: true,
  columnType: 'integer[]',
  itemSchema: { type: 'integer', minimum: 1, maximum: 65_535 },
  item: (value) => readInteger(value, { min: 1, max: 65_535 }, false) ?? 0,
  filters: () => [portFilter],
});

const anyPort = integerFilter('port', () => 'port');

const portFilter: Filter = {
  ...anyPort,
  multiple: false,
  compile: (request) => {
    const own: Sql = `${request.alias}.ports`;
    const { lookup, values, parameters } = request;
    if (lookup === 'empty') {
      const flag = readFlag(values.at(-1) ?? '');
      return flag === null ? null : `cardinality(${own}) ${flag ? '=' : '>'} 0`;
    }
    if (lookup !== null && lookup !== 'n') {
      return `EXISTS (SELECT FROM unnest(${own}) port WHERE ${anyPort.compile(request) ?? 'true'})`;
    }
    const wanted = values.map((value) => {
      if (!/^\s*\d{1,9}\s*$/.test(value)) throw new FilterProblem('Enter a number.');
      return value.trim();
    });
    const any = `${own} && ${parameters.add(wanted, 'integer[]')}`;
    return lookup === null ? any : `NOT (${any})`;
  },
};

/** `https (TCP/443, 8443-8445)` */
export function serviceName(alias: string): Sql {
  return `concat(${alias}.name, ' (', upper(${alias}.protocol), '/', ipam_port_list(${alias}.ports), ')')`;
}
