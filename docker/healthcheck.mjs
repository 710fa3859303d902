// @ts-check
/**
 * Exits with 0 if the service in this container is alive. Readiness (`/health/ready`) is for load balancers: a service
 * whose database is unavailable or empty must not be restarted for that reason.
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
