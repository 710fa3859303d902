// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { downloadNodeVersion, testedNodeVersions } from './node-matrix.mjs';
import { runReadmeExampleWithJest } from './jest-trial.mjs';
import { ExplainedCommandError, runStepWithProgress, runToolAndCaptureOutput } from './progress-step.mjs';
import { setUpRepository } from './set-up-repository.mjs';

/** @typedef {Readonly<Record<string, string>>} VersionByName */
/**
 * One installation to test. Without `versions`, the workspace's versions are installed. With `kills`, the webhook service
 * is killed so many times instead, and with `jest` the example for Jest runs.
 * @typedef {{ name: string, node: string, versions?: VersionByName, kills?: number, jest?: boolean }} Row
 */

/** Packages whose versions are printed, with the names to print. */
const printedNameByPackage = { '@nestjs/core': 'Nest', fastify: 'fastify', zod: 'zod', ioredis: 'ioredis', pg: 'pg' };

/**
 * Splits a range such as `^5.3.0 || ^6.0.0` into its parts. Each has the lowest version and the number of leading
 * numbers that are common to all its versions: one after `^`, two after `~`.
 *
 * @param {string} range
 */
export function parsePeerDependencyRange(range) {
  return range.split('||').map((part) => {
    const [, operator, lowest = ''] = /^\s*([~^])(\S+)\s*$/.exec(part) ?? [];
    if (lowest === '') throw new ExplainedCommandError(`The range ${range} has an unknown form.`);
    return { lowest, fixedNumbers: operator === '~' || lowest.startsWith('0.') ? 2 : 1 };
  });
}

const parseVersionNumbers = (/** @type {string} */ version) => version.split('.').map(Number);

/**
 * Returns the newest release in one part of a range, or null if there is none.
 *
 * @param {readonly string[]} published versions in the registry
 * @param {{ lowest: string, fixedNumbers: number }} part
 * @returns {string | null}
 */
export function findNewestReleaseInRange(published, { lowest, fixedNumbers }) {
  const compare = (/** @type {string} */ one, /** @type {string} */ other) => {
    const [left, right] = [parseVersionNumbers(one), parseVersionNumbers(other)];
    const differing = left.findIndex((number, index) => number !== right[index]);
    return differing < 0 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0);
  };
  const fixed = parseVersionNumbers(lowest).slice(0, fixedNumbers);
  const releases = published
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .filter((version) => fixed.every((number, index) => parseVersionNumbers(version)[index] === number));
  return (
    releases
      .filter((version) => compare(version, lowest) >= 0)
      .toSorted(compare)
      .at(-1) ?? null
  );
}

/**
 * Returns the versions of each peer dependency to test: the lowest and the newest of the oldest and of the newest major
 * version. A version that the registry does not have is printed.
 */
async function readTestedPeerDependencyVersions() {
  const { parse } = await import('yaml');
  const { catalogs } = parse(readFileSync(join(repositoryRoot, 'pnpm-workspace.yaml'), 'utf8'));
  // The service uses the platform package too, whose ranges lie within those of the other packages.
  const ranges = { ...catalogs.peers, ...catalogs['peers-of-platform'] };
  const peers = /** @type {[string, string][]} */ (Object.entries(ranges));
  const found = await Promise.all(
    peers.map(async ([name, range]) => {
      const output = await runToolAndCaptureOutput('npm', ['view', name, 'versions', '--json']);
      const published = /** @type {string[]} */ (JSON.parse(output));
      const parts = parsePeerDependencyRange(range);
      const [oldest, newest] = [parts[0], parts.at(-1)];
      if (oldest === undefined || newest === undefined) throw new ExplainedCommandError(`${name} has no range.`);
      for (const { lowest } of new Set([oldest, newest]))
        if (!published.includes(lowest)) console.log(`Not in the registry: ${name} ${lowest}`);
      return {
        name,
        lowest: oldest.lowest,
        'old-majors': findNewestReleaseInRange(published, oldest) ?? oldest.lowest,
        'new-majors': newest.lowest,
        newest: findNewestReleaseInRange(published, newest) ?? newest.lowest,
      };
    }),
  );
  return (/** @type {'lowest' | 'old-majors' | 'new-majors' | 'newest'} */ row) =>
    Object.fromEntries(found.map((versions) => [versions.name, versions[row]]));
}

/** Returns the installations to test: the bounds of the peer ranges, and each version of Node with the default. */
async function listTestedInstallations() {
  const versionsOf = await readTestedPeerDependencyVersions();
  const [oldestNode = '', maintainedNode = '', newestNode = ''] = testedNodeVersions;
  /** @type {Row[]} */
  const bounds = [
    { name: 'lowest', node: oldestNode, versions: versionsOf('lowest') },
    { name: 'old-majors', node: maintainedNode, versions: versionsOf('old-majors') },
    { name: 'new-majors', node: maintainedNode, versions: versionsOf('new-majors') },
    { name: 'newest', node: newestNode, versions: versionsOf('newest') },
  ];
  const nodes = testedNodeVersions.map((node) => ({ name: `node-${node}`, node }));
  return [
    ...bounds,
    ...nodes,
    { name: 'kills', node: maintainedNode, kills: 30 },
    { name: 'jest', node: oldestNode, jest: true },
  ];
}

/**
 * Installs the packed packages and runs the tests of a service outside the workspace.
 *
 * @param {Row} row
 * @param {string} node path of the program
 * @returns {Promise<string>} number of tests, or the figures of the kills
 */
async function testPackagesInInstallation({ versions, kills, jest }, node) {
  if (jest === true) return runReadmeExampleWithJest(node, await downloadNodeVersion(testedNodeVersions.at(-1) ?? ''));
  const service = kills === undefined ? 'packed-packages' : 'packed-webhooks';
  const output = await runToolAndCaptureOutput(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project=workspace',
      `tools/test/${service}.spec.ts`,
      '--testNamePattern=service outside the workspace',
      // An empty cache of the package manager, or a busy machine, takes minutes.
      '--hookTimeout=600000',
      '--testTimeout=600000',
      '--maxWorkers=1',
    ],
    {
      env: {
        NODE_ENV: 'test',
        NO_COLOR: '1',
        PACKED_NODE: node,
        ...(versions ? { PACKED_VERSIONS: JSON.stringify(versions) } : {}),
        ...(kills === undefined ? {} : { PACKED_KILLS: String(kills) }),
      },
    },
  );
  const passed = /^ *Tests +(\d+ passed)/m.exec(output)?.[1];
  if (passed === undefined) throw new ExplainedCommandError(`No test ran:\n${output}`);
  return /^\d+ kills: .*$/m.exec(output)?.[0] ?? passed;
}

/** @param {Row} row */
function describeInstallationVersions({ versions, kills, jest }) {
  if (jest === true) return 'and the newest, example for Jest in the README of the queue package';
  if (kills !== undefined) return `webhook service of the README, killed ${kills} times`;
  if (versions === undefined) return 'versions of the workspace';
  return Object.entries(printedNameByPackage)
    .map(([name, printed]) => `${printed} ${versions[name] ?? 'of the workspace'}`)
    .join(', ');
}

/**
 * `npm run test:packed`: runs the tests of a service outside the workspace against the bounds of the peer ranges. With
 * the workspace's versions, the tests also run against each version of Node. Also kills the webhook service 30 times,
 * and runs the example for Jest.
 * @param {string[]} args names of rows to run instead of all
 */
export async function testPackedPackages(args) {
  await setUpRepository();
  const all = await listTestedInstallations();
  const unknown = args.filter((arg) => !all.some(({ name }) => name === arg));
  const names = all.map(({ name }) => name).join(', ');
  if (unknown.length > 0) throw new ExplainedCommandError(`Unknown row "${unknown.join('", "')}". Rows: ${names}`);
  const rows = args.length > 0 ? all.filter(({ name }) => args.includes(name)) : all;
  const lines = [];
  for (const row of rows) {
    const node = await downloadNodeVersion(row.node);
    const version = (await runToolAndCaptureOutput(node, ['--version'])).trim();
    const label = `${row.name.padEnd(12)} Node ${version.padEnd(9)} ${describeInstallationVersions(row)}`;
    try {
      const passed = await runStepWithProgress(label, () => testPackagesInInstallation(row, node));
      lines.push(`ok      ${label}: ${passed}`);
    } catch (error) {
      lines.push(`FAILED  ${label}`);
      console.log(error instanceof Error ? error.message : String(error));
    }
  }
  console.log(`\n${lines.join('\n')}`);
  const failed = lines.filter((line) => line.startsWith('FAILED')).length;
  console.log(`${rows.length - failed} passed, ${failed} failed`);
  if (failed > 0) throw new ExplainedCommandError(`${failed} of ${rows.length} installations failed.`);
}
