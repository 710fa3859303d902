/**
 * Version of a package's release and version of the previous release. A version consists of three numbers, for example
 * `1.10.0`.
 */
export interface Release {
  readonly version: string;
  /**
   * Version of the previous release. If a migration file names no oldest release, the previous release is the oldest
   * release that can run against the migrated tables.
   */
  readonly previous: string;
}

/**
 * Version of this package in development. A test compares this version with `package.json` and `releases.json` of the
 * repository.
 */
export const release: Release = { version: '0.2.0', previous: '0.1.0' };
