// @ts-check
/**
 * Spec files that only `npm run test:long` runs, by folder. Each repeats with other faults a guarantee that `npm test`
 * tests elsewhere. The commands of their suites (`npm run test:faults`) run them too.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const longSpecFilesByFolder = {
  'test/faults': ['store-faults.spec.ts', 'rolling-restart.spec.ts', 'registration.spec.ts', 'redis-failover.spec.ts'],
};
