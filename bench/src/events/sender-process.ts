/**
 * Child process of a {@link SenderProcess}: posts a message for each message from its parent process, and reports the time
 * until the acknowledgement in milliseconds.
 */
import { MinimalHttpConnection } from './http-connection.js';

const [origin = ''] = process.argv.slice(2);
const benchmarkServerConnection = await MinimalHttpConnection.open(origin);

process.on('message', (message: object) => {
  const started = performance.now();
  void benchmarkServerConnection.post('/send', message).then(({ at }) => process.send?.(at - started));
});
// The benchmark has disconnected and requests no more sends.
process.once('disconnect', () => process.exit());
process.send?.('ready');
