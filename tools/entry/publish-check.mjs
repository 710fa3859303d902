// @ts-check
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { EntryError, runProgressStep, runToolAndCaptureOutput } from './progress-step.mjs';
import { listPublishedPackages } from './published-packages.mjs';
import { pnpmVersion, setUpRepository } from './set-up-repository.mjs';

/**
 * `npm run test:publish`: runs `pnpm publish --dry-run` for each published package. Every warning counts as a failure,
 * except the warning about the dry run itself.
 */
export async function checkPackagePublishing() {
  await setUpRepository();
  const problems = [];
  for (const name of listPublishedPackages()) {
    const output = await runProgressStep(`pnpm publish --dry-run of ${name}`, () =>
      runToolAndCaptureOutput('npx', ['-y', `pnpm@${pnpmVersion()}`, 'publish', '--dry-run', '--no-git-checks'], {
        cwd: join(repositoryRoot, 'packages', name),
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
