// @ts-check
/** Exit code 0 when the service in this container is ready. Needs nothing that the image does not hold. */
const port = process.env['PORT'] ?? (process.env['APP'] === 'chat' ? '9991' : '8000');

try {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2500) });
  if (!response.ok) {
    console.error(await response.text());
  }
  process.exit(response.ok ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
