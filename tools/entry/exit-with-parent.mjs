// @ts-check
/**
 * Loaded into each service before its code. Standard input is a pipe from the entry script. Its end means that the
 * entry script has exited for any reason. The service then shuts down gracefully and releases its port.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.once('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// The open pipe must not keep the service alive. Only sockets can be unreferenced, and such a pipe is one.
if ('unref' in process.stdin) process.stdin.unref();
