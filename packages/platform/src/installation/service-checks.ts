import type { ServiceSchema } from '../lifecycle/service-schema.js';
import { releaseVersions } from '../release-versions.js';
import type { InstallationCheck } from './run-installation-checks.js';

/** Returns the check that all migrations of this release are applied. */
export function createMigrationCheck(schema: Pick<ServiceSchema, 'requireMigrations'>): InstallationCheck {
  return {
    name: 'migrations',
    run: async () => {
      await schema.requireMigrations();
      return { level: 'ok', text: `The migrations of release ${releaseVersions.version} are applied.` };
    },
  };
}

/**
 * Returns the check that the configured encryption keys and peppers are those that the database was used with.
 *
 * @param verify verifies the keys of the database and returns their number. It throws an error with the id of a key
 * that is missing or differs
 */
export function createKeyCheck(verify: () => Promise<number>): InstallationCheck {
  return {
    name: 'keys',
    run: async () => {
      const count = await verify();
      if (count === 0) {
        const text = 'The database records no keys yet. The first start compares the keys with the stored secrets.';
        return { level: 'warning', text };
      }
      return { level: 'ok', text: `The ${count} keys and peppers that the database was used with are configured.` };
    },
  };
}
