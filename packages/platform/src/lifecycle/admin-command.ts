import { basename } from 'node:path';

/**
 * Returns the command line with which an operator runs administration commands of this service: in an image `admin.mjs`
 * next to `main.mjs`, elsewhere an npm script.
 */
export function adminCommand(service: string, program: string = process.argv[1] ?? ''): string {
  return basename(program) === 'main.mjs' ? 'node admin.mjs' : `npm run admin -- ${service}`;
}
