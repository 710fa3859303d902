// @ts-check
import { spawn } from 'node:child_process';
import { repositoryRoot } from './data-folder-paths.mjs';

/** An error whose message explains the problem completely. The error is printed without a stack trace. */
export class ExplainedCommandError extends Error {}

const progressUpdateIntervalMs = 100;
const progressIntervalWithoutTerminalMs = 5_000;
const progressSpinnerFrames = ['|', '/', '-', '\\'];

/**
 * Returns the elapsed seconds since a start time as text.
 *
 * @param {number} started start time in milliseconds since 1970
 */
function formatElapsedSeconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/**
 * Shows the elapsed time of a step of a command. On a terminal, updates one line; otherwise prints a line every five
 * seconds.
 * @param {string} name
 * @param {number} started start time in milliseconds since 1970
 * @returns {() => void} function that stops the output
 */
function showStepProgress(name, started) {
  const terminal = process.stdout.isTTY === true;
  let frame = 0;
  if (!terminal) console.log(`${name} ...`);
  const tick = () => {
    if (terminal)
      process.stdout.write(
        `\r\x1b[K${progressSpinnerFrames[(frame += 1) % progressSpinnerFrames.length]} ${name} ${formatElapsedSeconds(started)}`,
      );
    else console.log(`${name} ... ${formatElapsedSeconds(started)}`);
  };
  if (terminal) tick();
  const timer = setInterval(tick, terminal ? progressUpdateIntervalMs : progressIntervalWithoutTerminalMs);
  return () => {
    clearInterval(timer);
    if (terminal) process.stdout.write('\r\x1b[K');
  };
}

/**
 * Prints a line of text. If a progress line is displayed, prints the text above that line.
 * @param {string} text
 */
export function printLineAboveProgress(text) {
  console.log(process.stdout.isTTY === true ? `\r\x1b[K${text}` : text);
}

/**
 * Runs a slow step of a command, prints the progress and duration of the step, and returns its result.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function runStepWithProgress(name, run) {
  const started = Date.now();
  const end = showStepProgress(name, started);
  try {
    const result = await run();
    end();
    console.log(`${name}: done in ${formatElapsedSeconds(started)}`);
    return result;
  } catch (error) {
    end();
    console.log(`${name}: FAILED after ${formatElapsedSeconds(started)}`);
    throw error;
  }
}

/**
 * Runs another program and waits for its end. If the program fails, the thrown error contains the output of the
 * program.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string }} [options] `env` is added to the environment of
 * this process
 * @returns {Promise<string>} output of the program
 */
export function runToolAndCaptureOutput(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? repositoryRoot,
      // A tool must not wait for input, because its prompts are not shown.
      stdio: ['ignore', 'pipe', 'pipe'],
      // With NODE_ENV=production, pnpm would omit the dependencies of the build.
      env: { ...process.env, NODE_ENV: 'development', ...options.env },
    });
    // A supervisor signals only this process, and the tool must stop with it.
    const end = () => {
      child.kill('SIGTERM');
      process.exit(1);
    };
    process.once('SIGTERM', end);
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => (output += chunk.toString());
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(new ExplainedCommandError(`${command} cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      process.off('SIGTERM', end);
      if (code === 0) return resolve(output);
      const line = [command, ...args].join(' ').replaceAll(`${repositoryRoot}/`, '');
      reject(new ExplainedCommandError(`${line} ended with ${signal ?? `exit code ${code}`}:\n${output.trimEnd()}`));
    });
  });
}
