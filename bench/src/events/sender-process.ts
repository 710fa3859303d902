/** Process of a `Sender`: posts messages on demand, and returns the duration of the acknowledgement in milliseconds. */
import { Connection } from './connection.js';

const [origin = ''] = process.argv.slice(2);
const connection = await Connection.open(origin);

process.on('message', (message: object) => {
  const started = performance.now();
  void connection.post('/send', message).then(({ at }) => process.send?.(at - started));
});
// The benchmark has disconnected and requests no more sends.
process.once('disconnect', () => process.exit());
process.send?.('ready');
