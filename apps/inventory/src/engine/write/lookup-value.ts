import { hasNullCharacter } from '../field-types/json.js';
import { parseHardwareAddress } from '../field-types/hardware-address.js';
import { parseIp } from '../field-types/ip-network.js';

/** SQL type in which a column is compared with values, and the parser of these values. */
export interface ComparedType {
  /** SQL type of the value's parameter. The column is cast to it if `cast` is true. */
  readonly type: string;
  /** True if the column must be cast for the comparison. */
  readonly cast: boolean;
  /** Converts a value to PostgreSQL's format; undefined if no row can have it. */
  read(value: unknown): unknown;
}

const text: ComparedType = {
  type: 'text',
  cast: false,
  read: (value) => {
    const given = plain(value);
    return given === undefined || given.includes('\0') || !given.isWellFormed() ? undefined : given;
  },
};

const integer: ComparedType = {
  type: 'bigint',
  cast: false,
  read: (value) => {
    const given = plain(value)?.trim() ?? '';
    return /^-?\d{1,18}$/.test(given) ? given : undefined;
  },
};

const decimal: ComparedType = {
  type: 'numeric',
  cast: false,
  read: (value) => {
    const given = plain(value)?.trim() ?? '';
    return /^[+-]?\d{1,40}(\.\d{1,40})?$/.test(given) ? given : undefined;
  },
};

const boolean: ComparedType = {
  type: 'boolean',
  cast: false,
  read: (value) => {
    const given = plain(value) ?? '';
    if (['true', 'True', '1'].includes(given)) return true;
    return ['false', 'False', '0'].includes(given) ? false : undefined;
  },
};

const time: ComparedType = {
  type: 'timestamptz',
  cast: false,
  read: (value) => {
    const given = typeof value === 'string' ? value.trim() : '';
    const formed = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(given);
    const at = formed ? Date.parse(given.length === 10 ? given : given.replace(' ', 'T')) : Number.NaN;
    if (Number.isNaN(at)) return undefined;
    return /(Z|[+-]\d\d:\d\d)$/.test(given.slice(10)) ? given : `${given}${given.length === 10 ? 'T00:00Z' : 'Z'}`;
  },
};

const address: ComparedType = {
  type: 'inet',
  cast: true,
  read: (value) => (typeof value === 'string' && parseIp(value) !== null ? value.trim() : undefined),
};

const hardware = (bytes: 6 | 8): ComparedType => ({
  type: bytes === 6 ? 'macaddr' : 'macaddr8',
  cast: false,
  read: (value) => (typeof value === 'string' ? (parseHardwareAddress(value, bytes) ?? undefined) : undefined),
});

const json: ComparedType = {
  type: 'jsonb',
  cast: false,
  read: (value) => (hasNullCharacter(value) ? undefined : JSON.stringify(value)),
};

const byBase: Readonly<Record<string, ComparedType>> = {
  bigint: integer,
  integer,
  int: integer,
  smallint: integer,
  numeric: decimal,
  decimal,
  'double precision': decimal,
  boolean,
  timestamptz: time,
  inet: address,
  cidr: address,
  macaddr: hardware(6),
  macaddr8: hardware(8),
  jsonb: json,
  text,
  varchar: text,
};

/**
 * Returns the parser and type of values that are compared with a column of an SQL type. Columns of rare types are
 * compared as text.
 */
export function comparedType(sqlType: string): ComparedType {
  const base = sqlType
    .replace(/\(.*\)/, '')
    .trim()
    .toLowerCase();
  return byBase[base] ?? { ...text, cast: true };
}

function plain(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
