import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { LocalServicesError } from './local-services-errors.js';

/** Operating system user under which a local server runs. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

const candidateDatabaseAccounts = ['postgres', '_postgres', 'nobody'];

function readAccountId(flag: '-u' | '-g', name: string): number | null {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return null;
  }
}

function findFolderOwner(folder: string): SystemAccount | null {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? null : { uid: stat.uid, gid: stat.gid };
}

/**
 * Returns the account under which PostgreSQL runs. PostgreSQL refuses to run as root, so a process of root uses another
 * account. The account is the owner of the data directory if that directory exists. Otherwise it is the first existing
 * account of postgres, _postgres, nobody.
 * @param clusterFolder the data directory, which need not exist
 * @returns null if this process does not run as root, so that PostgreSQL uses the same account
 * @throws LocalServicesError if this process runs as root and none of these accounts exists
 */
export function findDatabaseAccount(clusterFolder: string): SystemAccount | null {
  if (process.getuid?.() !== 0) return null;
  const owner = findFolderOwner(clusterFolder);
  if (owner !== null) return owner;
  for (const name of candidateDatabaseAccounts) {
    const uid = readAccountId('-u', name);
    const gid = readAccountId('-g', name);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  throw new LocalServicesError(
    'PostgreSQL refuses to run as root, and this system has no user postgres or nobody. Add one: useradd --system postgres',
  );
}
