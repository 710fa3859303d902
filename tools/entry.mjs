// @ts-check
/**
 * Entry point of every command of package.json. It needs only Node and first creates missing parts (pnpm, dependencies,
 * generated clients, the build). Old versions of Node can parse its syntax, so that they print a message instead of a
 * syntax error.
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
