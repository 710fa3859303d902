import { basename } from 'node:path';

/**
 * The command line that reaches a service's administration commands from where this process was started: in an image the
 * bundled `main.mjs` runs beside `admin.mjs`, elsewhere npm runs them.
 */
export function adminCommand(service: string, program: string = process.argv[1] ?? ''): string {
  return basename(program) === 'main.mjs' ? 'node admin.mjs' : `npm run admin -- ${service}`;
}
