// @ts-check
/**
 * Loaded into each service before its own code: standard input is a pipe from the entry script, and its end
 * means that the script is gone, however it died. The service then ends in order instead of keeping its port.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.once('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// Waiting for that end alone does not keep a service alive. Only sockets, which pipes are here, can be unreferenced.
if ('unref' in process.stdin) process.stdin.unref();
