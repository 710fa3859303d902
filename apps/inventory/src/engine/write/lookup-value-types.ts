import { hasNullCharacter } from '../field-types/json.js';
import { parseHardwareAddress } from '../field-types/hardware-address.js';
import { parseIpNetwork } from '../field-types/ip-network.js';

/** SQL type in which a column is compared with a value, and the parser of the value. */
export interface SqlComparisonType {
  /** SQL type of the query parameter that contains the value. The column is cast to this type if `cast` is true. */
  readonly type: string;
  /** True if the column must be cast to the type of the value before they are compared. */
  readonly cast: boolean;
  /** Converts a value to PostgreSQL's format for query parameters. Returns undefined if no row can have the value. */
  read(value: unknown): unknown;
}

const textComparisonType: SqlComparisonType = {
  type: 'text',
  cast: false,
  read: (value) => {
    const given = toPlainTextValue(value);
    return given === undefined || given.includes('\0') || !given.isWellFormed() ? undefined : given;
  },
};

const integerComparisonType: SqlComparisonType = {
  type: 'bigint',
  cast: false,
  read: (value) => {
    const given = toPlainTextValue(value)?.trim() ?? '';
    return /^-?\d{1,18}$/.test(given) ? given : undefined;
  },
};

const decimalComparisonType: SqlComparisonType = {
  type: 'numeric',
  cast: false,
  read: (value) => {
    const given = toPlainTextValue(value)?.trim() ?? '';
    return /^[+-]?\d{1,40}(\.\d{1,40})?$/.test(given) ? given : undefined;
  },
};

const booleanComparisonType: SqlComparisonType = {
  type: 'boolean',
  cast: false,
  read: (value) => {
    const given = toPlainTextValue(value) ?? '';
    if (['true', 'True', '1'].includes(given)) return true;
    return ['false', 'False', '0'].includes(given) ? false : undefined;
  },
};

const timeComparisonType: SqlComparisonType = {
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

const ipAddressComparisonType: SqlComparisonType = {
  type: 'inet',
  cast: true,
  read: (value) => (typeof value === 'string' && parseIpNetwork(value) !== null ? value.trim() : undefined),
};

const createHardwareAddressComparisonType = (bytes: 6 | 8): SqlComparisonType => ({
  type: bytes === 6 ? 'macaddr' : 'macaddr8',
  cast: false,
  read: (value) => (typeof value === 'string' ? (parseHardwareAddress(value, bytes) ?? undefined) : undefined),
});

const jsonComparisonType: SqlComparisonType = {
  type: 'jsonb',
  cast: false,
  read: (value) => (hasNullCharacter(value) ? undefined : JSON.stringify(value)),
};

const comparisonTypeByBaseType: Readonly<Record<string, SqlComparisonType>> = {
  bigint: integerComparisonType,
  integer: integerComparisonType,
  int: integerComparisonType,
  smallint: integerComparisonType,
  numeric: decimalComparisonType,
  decimal: decimalComparisonType,
  'double precision': decimalComparisonType,
  boolean: booleanComparisonType,
  timestamptz: timeComparisonType,
  inet: ipAddressComparisonType,
  cidr: ipAddressComparisonType,
  macaddr: createHardwareAddressComparisonType(6),
  macaddr8: createHardwareAddressComparisonType(8),
  jsonb: jsonComparisonType,
  text: textComparisonType,
  varchar: textComparisonType,
};

/**
 * Returns the parser and the SQL type for comparing values with a column of an SQL type. Columns of rare types are
 * compared as text.
 */
export function getSqlComparisonType(sqlType: string): SqlComparisonType {
  const base = sqlType
    .replace(/\(.*\)/, '')
    .trim()
    .toLowerCase();
  return comparisonTypeByBaseType[base] ?? { ...textComparisonType, cast: true };
}

function toPlainTextValue(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
