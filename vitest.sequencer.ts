import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Slowest spec files of each project, slowest first. A new machine has no times of earlier runs, and none of these
 * files should run last.
 */
const longest: Readonly<Record<string, readonly string[]>> = {
  workspace: [
    'test/migrate-command.spec.ts',
    'test/docker.spec.ts',
    'test/entry-start.spec.ts',
    'test/packed-webhooks.spec.ts',
    'test/runtime-role.spec.ts',
    'test/prisma-tools.spec.ts',
  ],
  faults: [
    'kills.spec.ts',
    'store-faults.spec.ts',
    'failover.spec.ts',
    'rolling-restart.spec.ts',
    'registration.spec.ts',
  ],
  'local-services': ['test/start-local-services.spec.ts'],
  hostile: ['inventory.spec.ts', 'chat.spec.ts'],
  races: ['chat.spec.ts', 'inventory.spec.ts'],
  inventory: [
    'models/dcim.spec.ts',
    'models/extras.spec.ts',
    'test/recorded-cable-path-responses.spec.ts',
    'models/ipam.spec.ts',
    'test/cable-paths.spec.ts',
    'webhooks/killed-processes.spec.ts',
    'test/list-page-query-plans.spec.ts',
    'test/fuzz.spec.ts',
    'models/circuits.spec.ts',
    'models/vpn.spec.ts',
  ],
  chat: [
    'src/core/messages/read/narrow/narrow-plans.spec.ts',
    'src/features/event-webhooks/killed-webhook-worker.spec.ts',
    'src/events/snapshot-memory/snapshot-memory.spec.ts',
    'src/core/messages/send/killed-sending-process.spec.ts',
    'test/user-event-replay.spec.ts',
    'test/fuzz.spec.ts',
    'src/features/realm-export/exported-archive-rows.spec.ts',
    'src/features/realm-export/worker/table-export-stage.spec.ts',
    'test/conversation.spec.ts',
    'test/role-by-endpoint.spec.ts',
    'src/features/realm-export/realm-export.spec.ts',
    'src/features/message-editing/large-message-moves.spec.ts',
    'test/message-event-replay.spec.ts',
  ],
};

/** Projects that start first, in this order. {@link last} has most files, nearly all of them short. */
const first = ['workspace', 'faults', 'local-services', 'queue', 'outbound', 'hostile', 'races', 'inventory'];
const last = 'chat';

/**
 * Runs slow files first. Files of a project run together, because a worker keeps the modules of a project, and loading
 * those of a service takes seconds.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofProject = (name: string): number => {
      if (name === last) return first.length + 1;
      return first.includes(name) ? first.indexOf(name) : first.length;
    };
    const ofFile = ({ moduleId, project }: TestSpecification): number => {
      const paths = longest[project.name] ?? [];
      const index = paths.findIndex((path) => moduleId.endsWith(`/${path}`));
      return index === -1 ? paths.length : index;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ofProject(a.project.name) - ofProject(b.project.name) || ofFile(a) - ofFile(b));
  }
}
