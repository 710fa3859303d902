// @ts-check
/**
 * Entry point of every command of package.json. The script needs only Node, and first installs and builds missing parts
 * (pnpm, dependencies, generated clients, compiled code). Old versions of Node can parse the script, so they print a
 * message instead of a syntax error.
 */
import { findNodeVersionProblem } from './entry/node-version.mjs';

const nodeVersionProblemText = findNodeVersionProblem(process.version);
if (nodeVersionProblemText !== null) {
  console.error(nodeVersionProblemText);
  process.exit(1);
}
void import('./entry/entry-commands.mjs').then(function run(commands) {
  return commands.runEntryCommand(process.argv.slice(2));
});
