// @ts-check
/**
 * `npm run docs`: writes the API reference of the published packages into docs/api. Arguments name packages to choose,
 * `--out` another folder. A warning of TypeDoc fails the command.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Application } from 'typedoc';

const root = resolve(import.meta.dirname, '../..');

/** Returns the names of the published packages. */
function publishedPackages() {
  return readdirSync(join(root, 'packages')).filter(
    (name) => !JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private,
  );
}

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
