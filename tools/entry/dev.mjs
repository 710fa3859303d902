// @ts-check
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';
import { start } from './start.mjs';

/** A service that is being restarted may leave requests unanswered: the edit is what its developer waits for. */
const restartPatienceMs = 500;

/** @param {string} folder @returns {number} ms, of the newest JavaScript file below */
function newestIn(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.name.endsWith('.js')) {
      newest = Math.max(newest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
    }
  }
  return newest;
}

/** When the compiler last wrote anything that a service runs. */
function lastWritten() {
  return Math.max(
    ...['packages', 'apps'].flatMap((group) =>
      readdirSync(join(root, group)).map((name) => {
        try {
          return newestIn(join(root, group, name, 'dist'));
        } catch {
          return 0;
        }
      }),
    ),
  );
}

/**
 * Compiles at every edit and calls back when that has written something.
 * @param {() => void} onWritten
 */
function watchCompiler(onWritten) {
  const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '-w', '--preserveWatchOutput'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let known = lastWritten();
  createInterface({ input: compiler.stdout }).on('line', (line) => {
    if (!/Found \d+ error/.test(line)) {
      // File names and faults are for the developer; the compiler's own chatter is not.
      if (/error TS\d+/.test(line)) console.log(`compiler  ${line}`);
      return;
    }
    const written = lastWritten();
    if (written === known) return;
    known = written;
    onWritten();
  });
  return compiler;
}

/**
 * Restarts one at a time; edits that arrive during a restart cause one more.
 * @param {import('./stack.mjs').Stack} stack
 */
function restarter(stack) {
  let running = false;
  let again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      while (again && !stack.stopped) {
        again = false;
        await stack.stopApps(restartPatienceMs);
        await stack.startApps();
      }
    } catch (error) {
      // A service that does not start with this edit is waited for: the next edit may mend it.
      console.error(error instanceof Error ? error.message : error);
    } finally {
      running = false;
    }
  };
}

/**
 * `npm run dev`: as `npm start`, and every edit in an app or package is compiled and answering within two seconds.
 * @param {string[]} args as of `npm start`
 */
export async function dev(args) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let compiler;
  const endCompiler = () =>
    compiler?.pid !== undefined && compiler.exitCode === null && process.kill(-compiler.pid, 'SIGTERM');
  try {
    await start(args, {
      survivesServices: true,
      whenReady: async (stack) => {
        const restart = restarter(stack);
        compiler = watchCompiler(() => void restart());
        console.log('Watching. An edit in any package restarts the services.');
      },
    });
  } finally {
    endCompiler();
  }
}
