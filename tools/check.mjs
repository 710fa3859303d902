// @ts-check
/**
 * `npm run check`: runs all checks that need no running service. Steps run concurrently. The output of a step is
 * printed only if the step fails.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { availableParallelism } from 'node:os';

const repositoryRoot = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ name: string, command: string[] }} Step */

/** @type {Step[]} */
const checkCommandSteps = [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.check.json'] },
  { name: 'lint', command: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  {
    name: 'boundaries',
    command: [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'apps',
      'packages',
      'bench',
    ],
  },
  {
    name: 'unused files, exports and dependencies',
    command: ['node_modules/knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'],
  },
  { name: 'format', command: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'] },
  { name: 'generated files', command: ['tools/gen.mjs', '--check'] },
  { name: 'OpenAPI documents', command: ['tools/check-openapi.mjs'] },
  { name: 'schema drift', command: ['tools/prisma-drift.mjs'] },
];

/**
 * Runs one step of `npm run check` and collects its output.
 *
 * @param {Step} step
 * @returns {Promise<{ step: Step, code: number, output: string, seconds: number }>}
 */
function runCheckStep(step) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.command, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => resolve({ step, code: code ?? 1, output, seconds: (Date.now() - started) / 1000 }));
  });
}

const waitingCheckSteps = [...checkCommandSteps];
let failedCheckStepCount = 0;

async function runWaitingCheckSteps() {
  for (let step = waitingCheckSteps.shift(); step; step = waitingCheckSteps.shift()) {
    const result = await runCheckStep(step);
    const mark = result.code === 0 ? 'ok' : 'FAILED';
    console.log(`check ${step.name}: ${mark} (${result.seconds.toFixed(1)} s)`);
    if (result.code !== 0) {
      failedCheckStepCount += 1;
      console.log(result.output.trimEnd());
    }
  }
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runWaitingCheckSteps));
if (failedCheckStepCount > 0) {
  console.log(`check: ${failedCheckStepCount} of ${checkCommandSteps.length} steps failed`);
  process.exit(1);
}
