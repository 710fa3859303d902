import type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';
import { parseConstraintColumns, findDatabaseFaultKind, omitUndefinedProperties } from './postgres-fault.js';

/**
 * Kinds of database errors by Prisma's error code. A SQLSTATE that the driver reports takes precedence over this table.
 */
const databaseFaultKindByPrismaCode: Readonly<Record<string, DatabaseFaultKind>> = {
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
 * Kinds of database errors by the names that Prisma's driver adapter uses. Needed for errors without a SQLSTATE, which
 * occur if the server was not reached.
 */
const databaseFaultKindByAdapterErrorKind: Readonly<Record<string, DatabaseFaultKind>> = {
  ConnectionClosed: 'unavailable',
  DatabaseNotReachable: 'unavailable',
  SocketTimeout: 'unavailable',
  TlsConnectionError: 'unavailable',
  TooManyConnections: 'unavailable',
};

type PropertyRecord = Readonly<Record<string, unknown>>;

function toPropertyRecord(value: unknown): PropertyRecord | undefined {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
}

function getTextOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function getTextListOrUndefined(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/**
 * Returns the description of an error by Prisma's driver adapter. The description comes from a `DriverAdapterError`
 * itself, or from the `meta` property of a Prisma error.
 */
function findPrismaAdapterError(error: Error): PropertyRecord | undefined {
  if (error.name === 'DriverAdapterError') return toPropertyRecord(error.cause);
  const wrapped: unknown = toPropertyRecord(Reflect.get(error, 'meta'))?.['driverAdapterError'];
  return wrapped instanceof Error ? toPropertyRecord(wrapped.cause) : undefined;
}

function findPrismaAdapterFaultKind(cause: PropertyRecord): DatabaseFaultKind | undefined {
  const state = getTextOrUndefined(cause['originalCode']) ?? getTextOrUndefined(cause['code']);
  return (
    (state && findDatabaseFaultKind(state)) ||
    databaseFaultKindByAdapterErrorKind[getTextOrUndefined(cause['kind']) ?? '']
  );
}

/** Converts an error of Prisma or its driver adapter to a database fault; returns undefined for other errors. */
export function convertPrismaErrorToFault(error: Error): DatabaseFault | undefined {
  const cause = findPrismaAdapterError(error);
  const code: unknown = Reflect.get(error, 'code') ?? Reflect.get(error, 'errorCode');
  const isPrismaCode = typeof code === 'string' && /^P[12]\d{3}$/.test(code);
  const kind =
    (cause && findPrismaAdapterFaultKind(cause)) ?? (isPrismaCode ? databaseFaultKindByPrismaCode[code] : undefined);
  if (kind === undefined) return undefined;

  const meta = toPropertyRecord(Reflect.get(error, 'meta'));
  const constraint = toPropertyRecord(cause?.['constraint']);
  const detail = getTextOrUndefined(cause?.['detail']);
  const columns =
    getTextListOrUndefined(constraint?.['fields']) ??
    getTextListOrUndefined(meta?.['target']) ??
    parseConstraintColumns(detail);
  return omitUndefinedProperties(kind, {
    constraint: getTextOrUndefined(constraint?.['index']),
    table: getTextOrUndefined(cause?.['table']) ?? getTextOrUndefined(meta?.['table']),
    column: getTextOrUndefined(cause?.['column']) ?? (columns?.length === 1 ? columns[0] : undefined),
    columns,
    detail: detail ?? getTextOrUndefined(cause?.['originalMessage']),
  });
}
