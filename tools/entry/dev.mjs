// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { settleMs, watchSources } from './source-watch.mjs';
import { start } from './start.mjs';
import { EntryError, runTool } from './step.mjs';

/** A service that is being restarted may leave requests unanswered: the edit is what its developer waits for. */
const restartPatienceMs = 500;

/** Folders with sources of packages and apps. */
function sourceFolders() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(root, group, name, 'src'))
      .filter((folder) => existsSync(folder)),
  );
}

/** @param {import('./stack.mjs').Stack} stack */
async function compileAndRestart(stack) {
  const started = Date.now();
  await runTool(process.execPath, ['node_modules/typescript/bin/tsc', '-b']);
  if (stack.stopped) return;
  await stack.stopApps(restartPatienceMs);
  if (stack.stopped) return;
  await stack.startApps();
  console.log(`The edit answers after ${((Date.now() - started + settleMs) / 1000).toFixed(1)} s.`);
}

/**
 * One round at a time; edits that arrive during a round cause one more.
 * @param {import('./stack.mjs').Stack} stack
 */
function rounds(stack) {
  let running = false;
  let again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    while (again && !stack.stopped) {
      again = false;
      try {
        await compileAndRestart(stack);
      } catch (error) {
        // What does not compile or start is waited for: the next edit may mend it.
        if (!stack.stopped) console.error(error instanceof EntryError ? error.message : error);
      }
    }
    running = false;
  };
}

/**
 * `npm run dev`: as `npm start`, and every edit in an app or package is compiled and answering within two seconds.
 * @param {string[]} args as of `npm start`
 */
export async function dev(args) {
  let endWatching = () => {};
  try {
    await start(args, {
      survivesServices: true,
      whenReady: async (stack) => {
        const round = rounds(stack);
        endWatching = watchSources(sourceFolders(), () => void round());
        console.log('Watching. An edit in any package restarts the services.');
      },
    });
  } finally {
    endWatching();
  }
}
