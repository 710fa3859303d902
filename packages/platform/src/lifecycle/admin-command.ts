import { basename } from 'node:path';

/**
 * Returns the command line with which an operator runs administration commands of this service: `admin.mjs` in an
 * image, otherwise an npm script.
 */
export function adminCommandLine(service: string, program: string = process.argv[1] ?? ''): string {
  const isImage = ['main.mjs', 'admin.mjs'].includes(basename(program));
  return isImage ? 'node admin.mjs' : `npm run admin -- ${service}`;
}
