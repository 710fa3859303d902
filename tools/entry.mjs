// @ts-check
/**
 * The one door to every command of package.json. It needs nothing but Node: whatever else is missing
 * (pnpm, dependencies, generated clients, the build) is made by it first.
 *
 * This file keeps to syntax that old versions of Node can read, so that they get a sentence and not a syntax error.
 */
import { nodeVersionProblem } from './entry/node-version.mjs';

const problem = nodeVersionProblem(process.version);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}
void import('./entry/commands.mjs').then(function run(commands) {
  return commands.runCommand(process.argv.slice(2));
});
