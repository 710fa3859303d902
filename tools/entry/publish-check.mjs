// @ts-check
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { ExplainedCommandError, runStepWithProgress, runToolAndCaptureOutput } from './progress-step.mjs';
import { listPublishedPackageFolderNames } from './published-packages.mjs';
import { readRequiredPnpmVersion, setUpRepository } from './set-up-repository.mjs';

/**
 * `npm run test:publish`: runs `pnpm publish --dry-run` for each published package. Every warning counts as a failure,
 * except the warning about the dry run itself.
 */
export async function checkPublishingOfAllPackages() {
  await setUpRepository();
  const problems = [];
  for (const name of listPublishedPackageFolderNames()) {
    const output = await runStepWithProgress(`pnpm publish --dry-run of ${name}`, () =>
      runToolAndCaptureOutput(
        'npx',
        ['-y', `pnpm@${readRequiredPnpmVersion()}`, 'publish', '--dry-run', '--no-git-checks'],
        {
          cwd: join(repositoryRoot, 'packages', name),
          env: { CI: 'true' },
        },
      ),
    );
    const warnings = output
      .split('\n')
      .filter((line) => !line.includes('(dry run)'))
      // A package is named errors.
      .filter((line) => /\b(?:warn(?:ing)?|error|ERR_\w+)\b/i.test(line.replaceAll(/@switchboard\/[a-z0-9]+/g, '')));
    problems.push(...warnings.map((warning) => `${name}: ${warning}`));
  }
  if (problems.length > 0) throw new ExplainedCommandError(problems.join('\n'));
  console.log('Each package can be published.');
}
