// @ts-check
/**
 * Exits with code 0 if the service in this container is alive. The check does not use the readiness route
 * (`/health/ready`), which is for load balancers. An unavailable or empty database must not cause a restart of the
 * service.
 */
// Resolved here, because it is next to this file in the image alone. It reads the variable as the service does.
const loadedVariableReaderModule = new URL('packages/platform/dist/configuration/read-variables.js', import.meta.url);
/** @type {typeof import('../packages/platform/src/configuration/read-variables.js')} */
const { readVariables } = await import(loadedVariableReaderModule.href);
// The environment wins over the file, which may be a pipe that the service has read.
const healthCheckPort =
  process.env['PORT'] ||
  readVariables(process.env, { names: ['CONFIG_FILE', 'PORT'], ignoresOthers: true }).values['PORT'] ||
  (process.env['APP'] === 'chat' ? '9991' : '8000');

try {
  const response = await fetch(`http://127.0.0.1:${healthCheckPort}/health/live`, {
    signal: AbortSignal.timeout(2500),
  });
  if (!response.ok) {
    console.error(await response.text());
  }
  process.exit(response.ok ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
