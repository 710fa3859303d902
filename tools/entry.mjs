// @ts-check
/**
 * Entry point of every command of package.json. It needs only Node, and first installs and builds missing parts (pnpm,
 * dependencies, generated clients, compiled code). Old versions of Node can parse its syntax, so that they print a
 * message instead of a syntax error.
 */
import { nodeVersionProblem } from './entry/node-version.mjs';

const versionProblem = nodeVersionProblem(process.version);
if (versionProblem !== null) {
  console.error(versionProblem);
  process.exit(1);
}
void import('./entry/commands.mjs').then(function run(commands) {
  return commands.runCommand(process.argv.slice(2));
});
