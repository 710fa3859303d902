// @ts-check
import { join } from 'node:path';
import { root } from './paths.mjs';
import { EntryError, runStep, runTool } from './progress-step.mjs';
import { publishedPackages } from './published-packages.mjs';
import { pnpmVersion, setUp } from './setup.mjs';

/**
 * `npm run test:publish`: runs `pnpm publish --dry-run` for each published package. A warning other than the one of
 * the dry run itself is a failure.
 */
export async function checkPublishing() {
  await setUp();
  const problems = [];
  for (const name of publishedPackages()) {
    const output = await runStep(`pnpm publish --dry-run of ${name}`, () =>
      runTool('npx', ['-y', `pnpm@${pnpmVersion()}`, 'publish', '--dry-run', '--no-git-checks'], {
        cwd: join(root, 'packages', name),
        env: { CI: 'true' },
      }),
    );
    const warnings = output
      .split('\n')
      .filter((line) => !line.includes('(dry run)'))
      // A package is named errors.
      .filter((line) => /\b(?:warn(?:ing)?|error|ERR_\w+)\b/i.test(line.replaceAll(/@switchboard\/[a-z0-9]+/g, '')));
    problems.push(...warnings.map((warning) => `${name}: ${warning}`));
  }
  if (problems.length > 0) throw new EntryError(problems.join('\n'));
  console.log('Each package can be published.');
}
