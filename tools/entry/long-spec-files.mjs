// @ts-check
/**
 * Spec files that only `npm run test:long` runs, by folder. Each starts or kills processes, waits for time to pass, or
 * repeats a guarantee with further faults. `npm test` tests the same code in one process, or with one fault. The
 * commands of the suites (`npm run test:faults`, `npm run test:packed`) run their files too.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const longSpecFilesByFolder = {
  'test/faults': [
    'store-faults.spec.ts',
    'rolling-restart.spec.ts',
    'registration.spec.ts',
    'redis-failover.spec.ts',
    'closed-output.spec.ts',
  ],
  tools: [
    'test/api-reference.spec.ts',
    'test/packed-webhooks.spec.ts',
    'test/prisma-migrate.spec.ts',
    'test/prisma-tools.spec.ts',
    'test/runtime-role.spec.ts',
    'test/scale-fill.spec.ts',
  ],
  'apps/chat': [
    'src/app/database-primary-change.spec.ts',
    'src/core/messages/send/killed-sending-process.spec.ts',
    'src/core/soft-deactivation/soft-deactivation-property.spec.ts',
    'src/features/event-webhooks/killed-webhook-worker.spec.ts',
    'src/features/message-flags/message-flag-races.spec.ts',
    'src/features/realm-export/exported-archive-rows.spec.ts',
    'src/features/resumable-uploads/upload-with-killed-process.spec.ts',
    'src/features/scheduled-messages/delivery/killed-delivery-worker.spec.ts',
    'src/features/server-version/server-version.spec.ts',
    'test/check-command.spec.ts',
    'test/encryption-keys-at-start.spec.ts',
    'test/lost-encryption-key.spec.ts',
    'test/processes.spec.ts',
    'test/service-start.spec.ts',
    'test/tracing-spans.spec.ts',
  ],
  'apps/inventory': [
    'test/cable-path-property.spec.ts',
    'test/recorded-cable-path-responses.spec.ts',
    'test/response-memory-property.spec.ts',
    'test/webhooks/webhook-spans.spec.ts',
    'test/process-startup.spec.ts',
    'test/service-on-new-database.spec.ts',
    'test/webhooks/killed-processes.spec.ts',
    'test/writes-of-empty-values.spec.ts',
  ],
  'packages/platform': ['test/supervisor.spec.ts'],
  'packages/database': ['test/change-checks-random.spec.ts', 'test/change-checks-after-crash.spec.ts'],
  'packages/local-services': [
    'test/start-local-services.spec.ts',
    'test/orphaned-servers.spec.ts',
    'test/servers-of-other-user.spec.ts',
  ],
  'packages/queue': [
    'test/event-log-delta-state-model.spec.ts',
    'test/redis-sentinel.spec.ts',
    'test/event-log-random.spec.ts',
    'test/redis-cluster.spec.ts',
    'test/redis-paused-master.spec.ts',
  ],
};
