import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, of each project in this order: a new machine knows no times of earlier runs, and no worker
 * is to be left with one of them at the end.
 */
const longest: Readonly<Record<string, readonly string[]>> = {
  workspace: ['test/entry-start.spec.ts', 'test/docker.spec.ts', 'test/prisma-tools.spec.ts'],
  faults: ['kills.spec.ts', 'store-faults.spec.ts', 'rolling-restart.spec.ts', 'registration.spec.ts'],
  'local-services': ['test/start-local-services.spec.ts'],
  hostile: ['inventory.spec.ts', 'chat.spec.ts'],
  races: ['chat.spec.ts', 'inventory.spec.ts'],
  inventory: [
    'models/dcim.spec.ts',
    'models/extras.spec.ts',
    'models/ipam.spec.ts',
    'webhooks/killed-processes.spec.ts',
    'test/page-plans.spec.ts',
    'test/fuzz.spec.ts',
    'models/circuits.spec.ts',
    'models/vpn.spec.ts',
  ],
  chat: [
    'src/events/snapshot-memory/snapshot-memory.spec.ts',
    'src/core/messages/read/narrow/narrow-plans.spec.ts',
    'test/fuzz.spec.ts',
    'src/features/message-editing/large-moves.spec.ts',
    'test/people-replay.spec.ts',
    'test/message-replay.spec.ts',
  ],
};

/** Projects that begin before others, in this order. The one of most files, nearly all of them short, is the last. */
const first = ['workspace', 'faults', 'local-services', 'hostile', 'races', 'inventory'];
const last = 'chat';

/**
 * Long files first. The files of a project stay together: a worker that goes on with the same project keeps its modules,
 * and loading those of a service takes seconds.
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
