// @ts-check
/**
 * Entry point of every command of package.json. It needs nothing but Node, and first creates whatever is missing (pnpm,
 * dependencies, generated clients, the build). This file uses syntax that old versions of Node can read, so that they
 * print a message instead of a syntax error.
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
