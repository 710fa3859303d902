/**
 * Versions of the running release of the services and of the release before, made of three numbers such as `1.10.0`. A
 * test compares them with `package.json` and `releases.json`.
 */
export const releaseVersions = { version: '0.2.0', previous: '0.1.0' } as const;
