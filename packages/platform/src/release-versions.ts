/**
 * Versions of the running release and of the previous release of the services. Each version consists of three numbers,
 * such as `1.10.0`. A test compares the versions with `package.json` and `releases.json`.
 */
export const releaseVersions = { version: '0.2.0', previous: '0.1.0' } as const;
