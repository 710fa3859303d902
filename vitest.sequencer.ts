import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, first, so that no worker is left with one at the end: a new machine knows no times of
 * earlier runs. Those that start many processes stand beside those that wait for one.
 */
const longest = [
  'faults/kills.spec.ts',
  'test/entry-start.spec.ts',
  'faults/store-faults.spec.ts',
  'models/dcim.spec.ts',
  'hostile/inventory.spec.ts',
  'hostile/chat.spec.ts',
  'races/chat.spec.ts',
  'races/inventory.spec.ts',
  'inventory/test/fuzz.spec.ts',
  'models/extras.spec.ts',
  'models/ipam.spec.ts',
  'faults/rolling-restart.spec.ts',
  'test/start-local-services.spec.ts',
  'test/webhooks/killed-processes.spec.ts',
  'test/prisma-migrate.spec.ts',
  'faults/registration.spec.ts',
  'test/prisma-tools.spec.ts',
  'test/docker.spec.ts',
  'test/entry-setup.spec.ts',
];

/** The project of most files, nearly all of them short, is the last. */
const last = 'chat';
const longestOfLast = ['test/fuzz.spec.ts', 'test/narrow-plans.spec.ts', 'test/message-replay.spec.ts'];

/** The files of a project stay together, for a worker that goes on with the same project keeps its modules. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const isOneOf = (paths: readonly string[]): boolean => paths.some((path) => moduleId.endsWith(`/${path}`));
      if (isOneOf(longest)) return longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      if (project.name !== last) return longest.length;
      return longest.length + (isOneOf(longestOfLast) ? 1 : 2);
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
