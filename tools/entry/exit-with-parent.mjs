// @ts-check
/**
 * Module that is loaded into every service before the code of the service. Standard input is a pipe from the entry
 * script. The end of the pipe means that the entry script has exited. The service then shuts down gracefully and
 * releases its port.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.once('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// The open pipe must not keep the service alive. Only sockets can be unreferenced, and such a pipe is one.
if ('unref' in process.stdin) process.stdin.unref();
