import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { computeMedian } from './measure-load.js';
import { findFreePort } from './server-process.js';
import { repositoryRoot } from './benchmark-services.js';

const MEASURED_START_COUNT = 5;
const TARGET_START_SECONDS = 6;

/**
 * Runs `npm start` once, on free ports with a new data folder. Returns the seconds until both services are ready, and
 * then stops the command.
 */
async function measureServiceStartSeconds(): Promise<number> {
  const started = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: repositoryRoot,
    env: {
      ...process.env,
      CHAT_PORT: String(await findFreePort()),
      INVENTORY_PORT: String(await findFreePort()),
      SWITCHBOARD_DATA: join(repositoryRoot, '.data', 'bench-start'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ready = new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (/Ready in/.test(output)) {
        resolve((performance.now() - started) / 1000);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
  const seconds = await ready;
  // Waits until the output is closed, not only until npm exits: then the services have exited too.
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await ended;
  return seconds;
}

/** Measures the time from `npm start` until both services are ready. All dependencies are already installed. */
export async function measureServiceStarts(): Promise<{ line: string; met: boolean }> {
  await measureServiceStartSeconds();
  const seconds: number[] = [];
  for (let n = 0; n < MEASURED_START_COUNT; n += 1) {
    seconds.push(await measureServiceStartSeconds());
  }
  const met = computeMedian(seconds) < TARGET_START_SECONDS;
  const spread = `${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)}`;
  return {
    line: [
      '`npm start` with everything installed, until both services are ready',
      `  ${computeMedian(seconds).toFixed(2)} s (${spread}), target under ${TARGET_START_SECONDS} s: ${met ? 'met' : 'MISSED'}`,
    ].join('\n'),
    met,
  };
}
