// @ts-check
/**
 * `npm run docs`: writes the API reference of the published packages into docs/api. Arguments are names of packages to
 * include; `--out` sets another output folder. A warning of TypeDoc fails the command.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Application, OptionDefaults } from 'typedoc';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';
import { listPublishedPackageFolderNames } from '../entry/published-packages.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(repositoryRoot, 'docs/api') } },
});
const documentedPackageNames = positionals.length > 0 ? positionals : listPublishedPackageFolderNames();
// Links are checked. A type that is not exported is shown in the signature that uses it.
const validation = { notExported: false, invalidLink: true, notDocumented: false };
const typedocApplication = await Application.bootstrapWithPlugins({
  name: 'Switchboard packages',
  entryPoints: documentedPackageNames.map((name) => join(repositoryRoot, 'packages', name)),
  entryPointStrategy: 'packages',
  // The entry points are those of `exports` in each package.json.
  packageOptions: { readme: 'README.md', excludeInternal: true, excludePrivate: true, validation },
  validation,
  highlightLanguages: [...OptionDefaults.highlightLanguages, 'sql'],
  out: values.out,
  readme: join(repositoryRoot, 'docs/packages.md'),
  disableGit: true,
  sourceLinkTemplate: '{path}',
  githubPages: false,
});
const typedocProject = await typedocApplication.convert();
if (typedocProject !== undefined) {
  typedocApplication.validate(typedocProject);
  await typedocApplication.generateOutputs(typedocProject);
}
if (typedocProject === undefined || typedocApplication.logger.hasErrors() || typedocApplication.logger.hasWarnings())
  process.exit(1);
