import type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';
import { parseColumnsOfDetail, databaseFaultKindOf, omitUndefinedProperties } from './postgres-fault.js';

/** Kinds of database errors by Prisma's error code. If the driver reports a SQLSTATE, it takes precedence. */
const kindsByPrismaCode: Readonly<Record<string, DatabaseFaultKind>> = {
  P1001: 'unavailable',
  P1002: 'unavailable',
  P1008: 'unavailable',
  P1017: 'unavailable',
  P2000: 'value',
  P2002: 'unique',
  P2003: 'foreign_key',
  P2004: 'check',
  P2007: 'value',
  P2011: 'not_null',
  P2014: 'foreign_key',
  P2020: 'value',
  P2024: 'unavailable',
  P2025: 'not_found',
  P2033: 'value',
  P2034: 'serialization',
  P2037: 'unavailable',
};

/**
 * Kinds of database errors by the driver adapter's name for them, for errors without a SQLSTATE because the server was
 * not reached.
 */
const kindsByAdapterKind: Readonly<Record<string, DatabaseFaultKind>> = {
  ConnectionClosed: 'unavailable',
  DatabaseNotReachable: 'unavailable',
  SocketTimeout: 'unavailable',
  TlsConnectionError: 'unavailable',
  TooManyConnections: 'unavailable',
};

type Properties = Readonly<Record<string, unknown>>;

function propertiesOf(value: unknown): Properties | undefined {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
}

function textIfString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsIfStringList(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/**
 * Returns the driver adapter's description of an error, from a `DriverAdapterError` itself or from the meta of a Prisma
 * error.
 */
function findAdapterError(error: Error): Properties | undefined {
  if (error.name === 'DriverAdapterError') return propertiesOf(error.cause);
  const wrapped: unknown = propertiesOf(Reflect.get(error, 'meta'))?.['driverAdapterError'];
  return wrapped instanceof Error ? propertiesOf(wrapped.cause) : undefined;
}

function faultKindOfAdapterError(cause: Properties): DatabaseFaultKind | undefined {
  const state = textIfString(cause['originalCode']) ?? textIfString(cause['code']);
  return (state && databaseFaultKindOf(state)) || kindsByAdapterKind[textIfString(cause['kind']) ?? ''];
}

/** Converts an error of Prisma or its driver adapter to a database fault; undefined for other errors. */
export function toPrismaFault(error: Error): DatabaseFault | undefined {
  const cause = findAdapterError(error);
  const code: unknown = Reflect.get(error, 'code') ?? Reflect.get(error, 'errorCode');
  const isPrismaCode = typeof code === 'string' && /^P[12]\d{3}$/.test(code);
  const kind = (cause && faultKindOfAdapterError(cause)) ?? (isPrismaCode ? kindsByPrismaCode[code] : undefined);
  if (kind === undefined) return undefined;

  const meta = propertiesOf(Reflect.get(error, 'meta'));
  const constraint = propertiesOf(cause?.['constraint']);
  const detail = textIfString(cause?.['detail']);
  const columns =
    textsIfStringList(constraint?.['fields']) ?? textsIfStringList(meta?.['target']) ?? parseColumnsOfDetail(detail);
  return omitUndefinedProperties(kind, {
    constraint: textIfString(constraint?.['index']),
    table: textIfString(cause?.['table']) ?? textIfString(meta?.['table']),
    column: textIfString(cause?.['column']) ?? (columns?.length === 1 ? columns[0] : undefined),
    columns,
    detail: detail ?? textIfString(cause?.['originalMessage']),
  });
}
