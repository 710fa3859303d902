import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { AdminError } from '../admin-error.js';

/** Error codes of the file system and of PostgreSQL for a full disk. */
const fullDiskErrorCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** File system error codes for a file or folder that this process may not read or write. */
const refusedFileAccessErrorCodes: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Kinds of database errors that invalid rows of an archive cause. */
const databaseErrorsOfInvalidArchives: ReadonlySet<string> = new Set([
  'unique',
  'foreign_key',
  'check',
  'not_null',
  'value',
]);

/**
 * Converts an error of an import to an explanation if the operator can correct the error. Such errors are a full disk,
 * a file of another operating system account, and a row that the database rejects, for example a duplicate user.
 * Returns every other error unchanged.
 */
export function explainImportError(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && fullDiskErrorCodes.has(error.code)) {
    return new AdminError(`There is not enough free space: ${error.message}. Nothing was imported.`);
  }
  if (error instanceof Error && 'code' in error && refusedFileAccessErrorCodes.has(error.code)) {
    return new AdminError(`This account has no access to a file or folder: ${error.message}. Nothing was imported.`);
  }
  const fault = convertErrorToDatabaseFault(error);
  if (fault === null || !databaseErrorsOfInvalidArchives.has(fault.kind)) return error;
  const place = [fault.table, fault.constraint].filter((part) => part !== undefined).join(', ');
  return new AdminError(`The archive contradicts itself (${fault.kind}: ${place}). Nothing was imported.`);
}
