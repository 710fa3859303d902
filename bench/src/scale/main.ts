/**
 * `npm run test:scale -- chat|inventory [--size small|middle|large] [--only <part of a name>] [--processes 1|2] [--refill]`:
 * runs every operation of the app on databases of one size (default: all three sizes). The command prints how the
 * measured times grow with the size. README.md of this folder describes the columns and how to add an operation.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalServices } from '@switchboard/local-services';
import { repositoryRoot } from '../benchmark-services.js';
import { type ScaleTestedService, type DatabaseSizeName, databaseSizeNames } from './scale-app.js';
import { requireNamedOperationsExist } from './measured-figures.js';
import { chatScaleTest } from './chat/index.js';
import { inventoryScaleTest } from './inventory/index.js';
import { measureOperationsOfDatabaseSize } from './measure-size.js';
import { StoredMeasurements } from './stored-results.js';

const scaleTestUsage = `Usage: npm run test:scale -- chat|inventory [options]

Runs the operations of a service on filled databases, and prints how time, memory and event-loop stalls grow.

  --size ${databaseSizeNames.join('|')}   size of the database (default: all three)
  --only <text>               only operations whose name contains the text
  --processes 1|2             number of processes of the service (default: 1)
  --refill                    fill the databases again`;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string' },
    only: { type: 'string', default: '' },
    processes: { type: 'string', default: '1' },
    refill: { type: 'boolean', default: false },
  },
});

const printOutputLine = (line: string): void => console.log(line);

async function measureAllSizes<World>(
  app: ScaleTestedService<World>,
  sizes: readonly DatabaseSizeName[],
  processes: number,
): Promise<void> {
  requireNamedOperationsExist(
    app.figures,
    app.operations.map(({ name }) => name),
  );
  const folder = join(repositoryRoot, '.data', 'scale');
  mkdirSync(folder, { recursive: true });
  const results = new StoredMeasurements(join(folder, 'results'), app, processes);
  const operations = app.operations.filter(({ name }) => name.includes(options.only));
  const services = await startLocalServices({ dataFolder: folder, log: printOutputLine, durable: true });
  // A second signal terminates this process immediately. The next run then stops the servers that are still running.
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  try {
    for (const size of sizes) {
      const settings = {
        services,
        processes,
        refill: options.refill,
        interrupted: interrupted.signal,
        log: printOutputLine,
      };
      await measureOperationsOfDatabaseSize({ ...app, operations }, size, results, settings);
    }
  } finally {
    await services.stop();
  }
  printOutputLine(`\n${results.formatResultTable(operations.map(({ name }) => name))}\n`);
  const largest = sizes.at(-1) ?? 'large';
  printOutputLine(`Targets${largest === 'large' ? '' : ` (set for the size large, measured at ${largest})`}`);
  printOutputLine(results.formatLimitResults(app.figures, largest));
}

const measuredSizeNames = databaseSizeNames.filter((size) => options.size === undefined || options.size === size);
const measuredProcessCount = Number(options.processes);
const [app] = positionals;
const areArgumentsValid = measuredSizeNames.length > 0 && (measuredProcessCount === 1 || measuredProcessCount === 2);
if (areArgumentsValid && app === 'chat') {
  await measureAllSizes(chatScaleTest, measuredSizeNames, measuredProcessCount);
} else if (areArgumentsValid && app === 'inventory') {
  await measureAllSizes(inventoryScaleTest, measuredSizeNames, measuredProcessCount);
} else {
  console.error(scaleTestUsage);
  process.exitCode = 1;
}
