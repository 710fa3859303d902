import type { Release } from '@switchboard/queue';

/**
 * Version of this package in development. A test compares this version with `package.json` and `releases.json` of the
 * repository.
 */
export const release: Release = { version: '0.2.0', previous: '0.1.0' };
