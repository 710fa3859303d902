// @ts-check
/**
 * Exit code 0 while the service in this container lives. Whether it is ready to serve is for load balancers
 * (`/health/ready`): a service whose database is away or empty must not be restarted for it.
 */
const port = process.env['PORT'] ?? (process.env['APP'] === 'chat' ? '9991' : '8000');

try {
  const response = await fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(2500) });
  if (!response.ok) {
    console.error(await response.text());
  }
  process.exit(response.ok ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
