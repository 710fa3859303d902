import type { Release } from '@switchboard/queue';

/** Version of this package in development. A test compares it with the root's `package.json` and `releases.json`. */
export const release: Release = { version: '0.2.0', previous: '0.1.0' };
