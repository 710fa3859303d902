import { basename } from 'node:path';

/**
 * Returns the command line of a service's administration commands as seen from this process: in an image the bundled
 * `admin.mjs` next to `main.mjs`, elsewhere an npm script.
 */
export function adminCommand(service: string, program: string = process.argv[1] ?? ''): string {
  return basename(program) === 'main.mjs' ? 'node admin.mjs' : `npm run admin -- ${service}`;
}
