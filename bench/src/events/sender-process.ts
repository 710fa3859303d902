/**
 * Child process of a {@link SenderProcess}. For each message from the parent process, sends a POST request to the
 * server and reports the milliseconds until the acknowledgement.
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
