import { basename } from 'node:path';

/**
 * Returns the command line with which an operator runs administration commands of this service: in an image, whose
 * programs are `main.mjs` and `admin.mjs`, the latter, elsewhere an npm script.
 */
export function adminCommandLine(service: string, program: string = process.argv[1] ?? ''): string {
  const isImage = ['main.mjs', 'admin.mjs'].includes(basename(program));
  return isImage ? 'node admin.mjs' : `npm run admin -- ${service}`;
}
