#!/usr/bin/env node
// @ts-check
/** Runs the command line of the queue package. `npx switchboard-queue --help` describes the commands. */
import { runCommandLine } from '../dist/command-line/run-command-line.js';

// The reader of a pipe, such as `head`, may close it early.
process.stdout.on('error', () => process.exit());
process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});
