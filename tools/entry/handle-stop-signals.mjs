// @ts-check

/**
 * Time in milliseconds within which several stop signals count as a single signal. At Ctrl-C, the terminal signals both
 * npm and this process, and npm forwards its signal.
 */
const stopSignalGroupPeriodMs = 1_000;

/**
 * Runs `stop` at the first Ctrl-C, SIGTERM or closed terminal, and `kill` at a later signal. An error when writing
 * output counts as a closed terminal.
 * @param {{ stop(): void, kill(): void }} actions
 */
export function registerStopSignalHandlers(actions) {
  let first = 0;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      if (first !== 0) return;
      first = Date.now();
      actions.stop();
    });
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (first === 0) {
        first = Date.now();
        console.log(`\n${signal}: stopping. Once more to force.`);
        actions.stop();
      } else if (Date.now() - first > stopSignalGroupPeriodMs) {
        console.log('Forced.');
        actions.kill();
        process.exit(1);
      }
    });
  }
}
