import { basename } from 'node:path';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { getErrorMessage } from './wait-until-reachable.js';

/**
 * Returns the command line with which an operator runs admin commands of a service: `admin.mjs` in a container image,
 * otherwise an npm script.
 */
export function getAdminCommandLine(service: string, program: string = process.argv[1] ?? ''): string {
  const isImage = ['main.mjs', 'admin.mjs'].includes(basename(program));
  return isImage ? 'node admin.mjs' : `npm run admin -- ${service}`;
}

/**
 * SQLSTATEs of errors with which a PostgreSQL server refuses a connection: rejected role or password, and unknown
 * database.
 */
const refusedConnectionSqlStates: ReadonlySet<unknown> = new Set(['28000', '28P01', '3D000']);

/**
 * Returns one line of text about an error of the PostgreSQL connection that the operator of an admin command can
 * correct. Returns null for other errors.
 */
export function describeConnectionError(error: unknown): string | null {
  const isRefused = error instanceof Error && refusedConnectionSqlStates.has(Reflect.get(error, 'code'));
  if (!isRefused && convertErrorToDatabaseFault(error)?.kind !== 'unavailable') return null;
  const message = getErrorMessage(error).replaceAll('\n', ' ');
  return `PostgreSQL cannot be used: ${message}. Check DATABASE_URL, and MIGRATION_DATABASE_URL if it is set.`;
}
