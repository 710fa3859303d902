// @ts-check
/**
 * `npm run docs`: writes the API reference of the published packages into docs/api. Arguments name packages to choose,
 * `--out` another folder. A warning of TypeDoc fails the command.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Application } from 'typedoc';
import { root } from '../entry/paths.mjs';
import { publishedPackages } from '../entry/published-packages.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(root, 'docs/api') } },
});
const chosen = positionals.length > 0 ? positionals : publishedPackages();
const application = await Application.bootstrapWithPlugins({
  name: 'Switchboard packages',
  entryPoints: chosen.map((name) => join(root, 'packages', name)),
  entryPointStrategy: 'packages',
  packageOptions: { entryPoints: ['src/index.ts'], readme: 'README.md', excludeInternal: true, excludePrivate: true },
  // Links are checked. A type that is not exported is shown in the signature that uses it.
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  out: values.out,
  readme: join(root, 'docs/packages.md'),
  disableGit: true,
  sourceLinkTemplate: '{path}',
  githubPages: false,
});
const project = await application.convert();
if (project !== undefined) {
  application.validate(project);
  await application.generateOutputs(project);
}
if (project === undefined || application.logger.hasErrors() || application.logger.hasWarnings()) process.exit(1);
