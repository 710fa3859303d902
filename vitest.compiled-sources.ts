import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';

/** Path of a source file of an app or a package, without its extension. */
const sourcePathPattern = /^(apps|packages)\/([^/]+)\/src\/(.+)\.js$/;

/** Patterns of files that Node loads itself, without a transformation by vitest. */
export const filesLoadedByNode = [/\/(apps|packages)\/[^/]+\/dist\/.+\.js$/, /\/local-services\/node-only\/.+\.mjs$/];

/**
 * Plugin that replaces each imported source file of an app or a package by its compiled file in `dist`. Node loads
 * compiled files several times faster than vitest transforms sources. Only for runs whose command has compiled all changes.
 * An import of a file without a compiled file, such as a fixture, stays.
 */
export function replaceSourcesByCompiledFiles(repository: string): Plugin {
  const root = realpathSync(repository);
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.startsWith('.') || importer === undefined) return null;
      const path = resolve(dirname(importer), source);
      if (!path.startsWith(`${root}/`)) return null;
      const [, group, name, file] = sourcePathPattern.exec(path.slice(root.length + 1)) ?? [];
      if (group === undefined || name === undefined || file === undefined) return null;
      const compiled = join(root, group, name, 'dist', `${file}.js`);
      const hasSource = existsSync(join(root, group, name, 'src', `${file}.ts`));
      return hasSource && existsSync(compiled) ? compiled : null;
    },
  };
}
