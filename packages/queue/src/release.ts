/** Versions of a release of a package and of the release before, made of three numbers such as `1.10.0`. */
export interface Release {
  readonly version: string;
  /** Oldest release that runs against the result of a migration whose file contains no oldest release. */
  readonly previous: string;
}

/** Version of this package in development. A test compares it with the root's `package.json` and `releases.json`. */
export const release: Release = { version: '0.2.0', previous: '0.1.0' };
