import { translateDatabaseError } from '@switchboard/errors';
import { AdminError } from '../admin-error.js';

/** Codes of a full disk: of the file system, and of the database. */
const fullDiskCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Codes of a file or folder that the account of this process may not read or write. */
const refusedAccessCodes: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Kinds of database errors that rows of an archive cause. */
const archiveFaults: ReadonlySet<string> = new Set(['unique', 'foreign_key', 'check', 'not_null', 'value']);

/**
 * Converts an error of an import to an explanation if the operator can correct it: a full disk, a file of another
 * account, or a row that the database rejects, for example a second user with the same address. Returns other errors
 * unchanged.
 */
export function explainImportError(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && fullDiskCodes.has(error.code)) {
    return new AdminError(`There is not enough free space: ${error.message}. Nothing was imported.`);
  }
  if (error instanceof Error && 'code' in error && refusedAccessCodes.has(error.code)) {
    return new AdminError(`This account has no access to a file or folder: ${error.message}. Nothing was imported.`);
  }
  const fault = translateDatabaseError(error);
  if (fault === null || !archiveFaults.has(fault.kind)) return error;
  const place = [fault.table, fault.constraint].filter((part) => part !== undefined).join(', ');
  return new AdminError(`The archive contradicts itself (${fault.kind}: ${place}). Nothing was imported.`);
}
