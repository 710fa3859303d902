import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const ignoredFolders = new Set(['node_modules', 'dist', 'generated', '.data', '.git']);
/** Folder of generated pages, whose texts come from the sources. */
const generatedPages = 'docs/errors';
const extensions = new Set(['.ts', '.mjs', '.cjs', '.sql', '.prisma', '.md']);

/** Returns the files below a folder that may cite a document. The paths are relative to the root of the repository. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) || path === generatedPages ? [] : filesBelow(path);
    return extensions.has(extname(entry.name)) ? [path] : [];
  });
}

const commentPattern = (path: string): RegExp =>
  path.endsWith('.sql') ? /--.*/g : /(?<![\w'"`*])\/\*[^]*?\*\/|(?<![:'"`\w])\/\/.*(?:\n\s*\/\/.*)*/g;

/**
 * Returns the texts in which citations are checked. For a source file, these are its comments, without line breaks; for
 * a Markdown page, the paragraphs without code blocks.
 */
function citingTextsOf(path: string, text: string): string[] {
  if (path.endsWith('.md')) return text.replaceAll(/^```.*?^```/gms, '').split(/\n\n|\n(?=[|-])/);
  return (text.match(commentPattern(path)) ?? []).map((comment) =>
    comment.replaceAll(/\s*\n\s*(?:\*+|\/\/+|--)?\s*/g, ' '),
  );
}

/** Returns the labels (for example `5.3`) of the sections, rows and list items in a page of `docs/contract`. */
function sectionsOf(text: string): Set<string> {
  const sections = new Set<string>();
  let current = '';
  for (const line of text.split('\n')) {
    const heading = /^#{2,4} (\d+(?:\.[\dA-Z]+)*)\.? /.exec(line)?.[1];
    if (heading !== undefined) sections.add((current = heading));
    const row = /^\| (\d+(?:\.\d+)+) /.exec(line)?.[1];
    if (row !== undefined) sections.add(row);
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (item !== undefined) sections.add(`${current}.${item}`);
  }
  return sections;
}

const contracts = new Map(
  readdirSync(join(root, 'docs/contract')).map((page) => [page, sectionsOf(read(`docs/contract/${page}`))]),
);

/** Ids of all rows in the conformance documents, and ids of the sections that contain the rows. */
const rows = new Set(
  ['chat', 'inventory'].flatMap((app) =>
    [...read(`docs/conformance/${app}.md`).matchAll(/^\| ([a-z]+-\S+)-(\d+) \|/gm)].flatMap(
      ([, section = '', number = '']) => [section, `${section}-${number}`],
    ),
  ),
);

const decisions = new Set(readdirSync(join(root, 'docs/adr')).map((page) => page.slice(0, 4)));

const number = String.raw`\d+(?:\.[\dA-Z]+)*`;
const numbers = String.raw`${number}(?:(?:, | and | or | to )${number})*`;
const numbersIn = (text: string): string[] => text.match(new RegExp(number, 'g')) ?? [];

/** Returns the citations in a text that refer to missing sections of `docs/contract`. */
function missingSections(text: string): string[] {
  return [...text.matchAll(new RegExp(String.raw`docs/contract/([\w-]+\.md)(?: (${numbers}))?`, 'g'))].flatMap(
    ([cited, page = '', sections = '']) => {
      const known = contracts.get(page);
      if (known === undefined) return [cited];
      return numbersIn(sections)
        .filter((section) => !known.has(section))
        .map((section) => `docs/contract/${page} ${section}`);
    },
  );
}

/**
 * Returns the ids in a text that have the form of a conformance row's id but do not exist. In any other name that
 * begins with `chat-` or `inventory-`, no number follows the hyphen.
 */
function missingRows(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.-])((?:chat|inventory)-\d+(?:\.\d+)*(?:-[a-z]+(?=-\d))?(?:-\d+)?)(?![\w-]|\.\w)/g)]
    .map(([, id = '']) => id)
    .filter((id) => !rows.has(id));
}

/**
 * Returns the paths of missing pages that a comment cites. A path may be relative to the root of the repository, to the
 * package, or to the folder of the commented file.
 */
function missingPages(path: string, text: string): string[] {
  const member = /^(?:apps|packages)\/[^/]+/.exec(path)?.[0] ?? '.';
  return [...text.matchAll(/(?<![\w/.*<:-])((?:\.{1,2}\/)*(?:[\w-]+\/)*[\w-]+\.md)\b/g)]
    .map(([, page = '']) => page)
    .filter((page) => ['.', member, dirname(path), 'docs'].every((base) => !existsSync(join(root, base, page))));
}

const missingDecisions = (text: string): string[] =>
  [...text.matchAll(/\bADR (\d+)|\badr\/(\d{4})/g)]
    .map(([, cited = '', linked]) => linked ?? cited)
    .filter((decision) => !decisions.has(decision.padStart(4, '0')));

/**
 * Regular expression of document names that do not exist in the repository. Some of these documents exist under another
 * name.
 */
const outside =
  /\b(?:chat|inventory)-contract\b|\bevent-log-protocol\b|(?<![\w/.-])(?:chat|inventory)\.md \d|\barchitecture\.md\b|\bcontract \d/g;

/**
 * Returns true if a path belongs to a migration. Applied migrations must not change, and cite the contract in the form
 * "contract 3.5".
 */
const isMigration = (path: string): boolean => path.includes('/migrations/');

function missingInMigration(path: string, text: string): string[] {
  const page = `${path.split('/')[1]}.md`;
  return [...text.matchAll(new RegExp(`\\bcontract (${numbers})`, 'g'))]
    .flatMap(([, sections = '']) => numbersIn(sections))
    .filter((section) => contracts.get(page)?.has(section) !== true)
    .map((section) => `contract ${section}`);
}

function broken(path: string, text: string): string[] {
  const comments = citingTextsOf(path, text).join(path.endsWith('.md') ? '\n\n' : ' ');
  return [
    ...missingSections(comments),
    ...missingRows(comments),
    ...missingDecisions(comments),
    ...(path.endsWith('.md') || isMigration(path) ? [] : missingPages(path, comments)),
    ...(isMigration(path) ? missingInMigration(path, comments) : (comments.match(outside) ?? [])),
  ];
}

const folders = ['apps', 'packages', 'tools', 'bench', 'prisma', 'test', 'docs'];
const topLevel = readdirSync(root).filter((name) => extensions.has(extname(name)));

/** Pages and files that may name identifiers and files of the past: release notes, and migrations, which never change. */
const describesPast = (path: string): boolean => path === 'CHANGELOG.md' || isMigration(path);

const namesInExamples = ['OrdersModule', 'unitBefore', 'a.ts', 'path/to/file.spec.ts'];
const namesOfSystemd =
  'EnvironmentFile ExecReload ExecStart LoadCredential RestartForceExitStatus TimeoutStopSec'.split(' ');
/** Names in the interfaces of browsers, libraries, compilers and other servers. */
const namesOfOthers =
  'EventSource ExportTraceServiceRequest HealthIndicatorResult RateLimiterUnion StatusList ZulipPython allowH2 createSavepoint enableShutdownHooks exactOptionalPropertyTypes shadowDatabaseUrl'.split(
    ' ',
  );
/** Names that comments and pages may quote although the sources do not contain them. */
const otherNames = new Set([...namesInExamples, ...namesOfSystemd, ...namesOfOthers]);

const citingPaths = [...topLevel, ...folders.flatMap(filesBelow)].filter(
  (path) => path !== relative(root, import.meta.filename),
);

/** Returns the words in the code of files. Words that occur only in comments are not included. */
const wordsInCode = (paths: readonly string[]): Set<string> =>
  new Set(paths.flatMap((path) => read(path).replaceAll(commentPattern(path), ' ').match(/\w+/g) ?? []));

const codePaths = citingPaths.filter((path) => !path.endsWith('.md'));
const openApiPaths = ['apps/chat/openapi.json', 'apps/inventory/openapi.json'];
const namesOfRepository = wordsInCode([...codePaths, ...openApiPaths]);
const namesOfPackages = wordsInCode(codePaths.filter((path) => path.startsWith('packages/')));

/** Names that a file may quote. The README of a package describes the interface of the packages only. */
const knownNamesOf = (path: string): ReadonlySet<string> =>
  /^packages\/[^/]+\/README\.md$/.test(path) ? namesOfPackages : namesOfRepository;

/** Returns the camelCase names of the methods that code blocks of a page call. */
function methodsCalledInBlocks(path: string, text: string): string[] {
  const blocks = path.endsWith('.md') ? (text.match(/^```(?:ts|js)$.*?^```/gms) ?? []) : [];
  return blocks.flatMap((block) => block.match(/(?<=\.)[a-z]+[A-Z]\w*(?=\()/g) ?? []);
}

/** Returns the text of a page without the sections that compare a package with other products, whose names they quote. */
const withoutComparisons = (text: string): string => text.replaceAll(/^## Comparison$[^]*?(?=^## |(?![^]))/gm, '');

/**
 * Returns the names that no code contains: camelCase names in quoted code, and methods that code blocks of pages call.
 * The links in docstrings have a test in links.spec.ts.
 */
function missingNames(path: string, text: string): string[] {
  const cited = citingTextsOf(path, withoutComparisons(text)).flatMap((citing) => {
    const quoted = [...citing.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
    return quoted.flatMap((code) => code.match(/(?<![\w/-])[A-Za-z]*[a-z]\d*[A-Z]\w*(?![\w/-])/g) ?? []);
  });
  return [
    ...cited.filter((name) => !knownNamesOf(path).has(name)),
    ...methodsCalledInBlocks(path, text).filter((name) => !namesOfRepository.has(name)),
  ].filter((name) => !otherNames.has(name));
}

/** Ends of the paths of all TypeScript files, such as `src/a.ts` and `a.ts` for `packages/auth/src/a.ts`. */
const knownFiles = new Set(
  citingPaths
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
);

/** Returns the names of TypeScript files in a text that do not exist. */
function missingFiles(path: string, text: string): string[] {
  return citingTextsOf(path, text)
    .flatMap((citing) => citing.match(/(?<![\w/.*<>{}-])(?:[\w@-]+\/)*[\w.-]+\.ts\b/g) ?? [])
    .filter((name) => !knownFiles.has(name) && !otherNames.has(name));
}

describe('names in comments and documents', () => {
  it('refer to identifiers and TypeScript files that exist in the sources', () => {
    const found = citingPaths
      .filter((path) => !describesPast(path))
      .flatMap((path) => {
        const text = read(path);
        return [...missingNames(path, text), ...missingFiles(path, text)].map((name) => `${path}: ${name}`);
      });
    expect(found).toEqual([]);
  });

  it.each([
    ['an identifier in a comment', 'a.ts', '// See `readAllNoRows`.', 'readAllNoRows'],
    ['a member in a docstring', 'a.ts', '/** See `Tx.neverQuery`. */', 'neverQuery'],
    ['an identifier in a page', 'docs/a.md', 'The function `defineNothing(name)` does it.', 'defineNothing'],
    ['a method in a block of a page', 'docs/a.md', '```ts\nmake()\n  .addNothing({});\n```', 'addNothing'],
    ['a file in a page', 'docs/a.md', 'It is in `src/no-such-file.ts`.', 'src/no-such-file.ts'],
    ['a file in a comment', 'a.ts', '// As no-such-file.ts does.', 'no-such-file.ts'],
    ['an identifier after a comparison', 'a.md', '## Comparison\n`a`\n## Use\n`defineNothing` does.', 'defineNothing'],
  ])('cause an error if %s does not exist', (_what, path, text, name) => {
    expect([...missingNames(path, text), ...missingFiles(path, text)]).toContain(name);
  });
});

describe('citations in comments and documents', () => {
  it('name only existing documents, sections, conformance rows and decisions', () => {
    const found = citingPaths.flatMap((path) => broken(path, read(path)).map((reference) => `${path}: ${reference}`));
    expect(found).toEqual([]);
  });

  it.each([
    ['a section', '/** Reads a narrow (docs/contract/chat.md 5.4 and 5.44). */', 'docs/contract/chat.md 5.44'],
    ['a page of the contract', '// See docs/contract/channels.md 2.', 'docs/contract/channels.md'],
    ['a row', '/**\n * Deletes a topic\n * (chat-4.12-99).\n */', 'chat-4.12-99'],
    ['a section of rows', '// The field (inventory-44).', 'inventory-44'],
    ['a decision', '// As ADR 9999 says.', '9999'],
    ['a page', '// As docs/no-such-page.md says.', 'docs/no-such-page.md'],
    ['a document outside of the repository', '// As chat-contract says.', 'chat-contract'],
  ])('cause an error if %s does not exist', (_what, text, reference) => {
    expect(broken('apps/chat/src/file.ts', text)).toContain(reference);
  });

  it('pass the check when they name existing rows, sections, host names or URLs', () => {
    const text = `/**
     * Reads a narrow (docs/contract/chat.md
     * 5.4, chat-4.7-6 and inventory-4-query-9) on chat-a.example.com:80 and http://chat-1/.
     */`;
    expect(broken('apps/chat/src/file.ts', text)).toEqual([]);
  });

  it('refer to existing sections when a page in docs/contract cites itself', () => {
    const found = [...contracts].flatMap(([page, sections]) =>
      [...read(`docs/contract/${page}`).matchAll(new RegExp(`§(${number})`, 'g'))]
        .map(([, section = '']) => section)
        .filter((section) => !sections.has(section))
        .map((section) => `${page} §${section}`),
    );
    expect(found).toEqual([]);
  });
});
