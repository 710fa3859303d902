import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const folders = ['apps', 'bench', 'docker', 'packages', 'test', 'tools'];

const ignoredFolders = new Set(['node_modules', 'dist', 'generated', '.data', 'links.spec.ts']);

type SyntaxNode = Readonly<Record<string, unknown>>;

/** Names that a source file declares or imports, for the check of links in docstrings. */
interface DeclaredNames {
  readonly all: Set<string>;
  /** Names of members, by the name of the class, interface, type or constant that has the members. */
  readonly members: Map<string, Set<string>>;
  /** Names of the types that a declared class, interface or type refers to, such as the base class of a class. */
  readonly relatedTypes: Map<string, Set<string>>;
}

type MemberIndex = Pick<DeclaredNames, 'members' | 'relatedTypes'>;

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (ignoredFolders.has(entry.name)) return [];
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.(?:ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** Returns the targets of all `{@link …}` tags in a text, except URLs. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\{@link[\s*]+([^\s}|]+)[^}]*\}/g)]
    .map(([, target = '']) => target)
    .filter((target) => !target.includes('://'));
}

const nameOf = (node: unknown): string | undefined => {
  const name: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
};

function addTo(map: Map<string, Set<string>>, key: string, name: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(name));
}

/** Adds the declared names in a syntax tree to `names`. `owner` is the name of the enclosing declaration. */
function collect(node: unknown, owner: string | undefined, names: DeclaredNames): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const child of node) collect(child, owner, names);
    return;
  }
  const { type, id, key, typeName, superClass, expression, name } = node as SyntaxNode;
  const member = nameOf(key);
  const declared = nameOf(id);
  for (const one of [member, declared, type === 'Identifier' ? nameOf(node) : undefined]) if (one) names.all.add(one);
  if (member && owner) addTo(names.members, owner, member);
  const related =
    nameOf(typeName) ?? nameOf(superClass) ?? (type === 'TSInterfaceHeritage' ? nameOf(expression) : undefined);
  const relatedOwner = declared ?? owner;
  if (related && relatedOwner) addTo(names.relatedTypes, relatedOwner, related);
  // Parameter properties of a constructor are members of its class.
  if (type === 'TSParameterProperty' && owner) {
    const parameter = (node as { parameter?: unknown }).parameter;
    const property = nameOf(parameter) ?? nameOf(Reflect.get(Object(parameter), 'left'));
    if (property) addTo(names.members, owner, property);
  }
  if (typeof name === 'object') collect(name, owner, names);
  const inner = declared ?? owner;
  for (const child of Object.values(node)) collect(child, inner, names);
}

/** Returns the names that a source file declares or imports. Includes JSDoc types of JavaScript files. */
function namesOf(path: string, text: string): DeclaredNames {
  const names: DeclaredNames = { all: new Set(), members: new Map(), relatedTypes: new Map() };
  collect(parseAst(text, { lang: path.endsWith('.ts') ? 'ts' : 'js' }).body, undefined, names);
  for (const [, name = ''] of text.matchAll(/@typedef \{[^]*?\} (\w+)/g)) names.all.add(name);
  return names;
}

/** Merges the members and related types of several source files into one index. */
function mergeNames(files: readonly DeclaredNames[]): MemberIndex {
  const merged = { members: new Map<string, Set<string>>(), relatedTypes: new Map<string, Set<string>>() };
  for (const file of files) {
    for (const [owner, members] of file.members) for (const name of members) addTo(merged.members, owner, name);
    for (const [owner, types] of file.relatedTypes) for (const name of types) addTo(merged.relatedTypes, owner, name);
  }
  return merged;
}

/** Returns true if a class, interface, type or constant has a member, or if a related type has the member. */
function hasMember(owner: string, member: string, index: MemberIndex, visited = new Set<string>()): boolean {
  if (visited.has(owner)) return false;
  visited.add(owner);
  if (index.members.get(owner)?.has(member) === true) return true;
  return [...(index.relatedTypes.get(owner) ?? [])].some((related) => hasMember(related, member, index, visited));
}

/**
 * Returns the broken links of a file: the link tags in docstrings whose target does not exist. A link may refer to a
 * name in the file itself, to a name that any file exports, or to a global variable.
 */
function brokenLinks(text: string, names: DeclaredNames, exported: ReadonlySet<string>, index: MemberIndex): string[] {
  return linksOf(text).filter((target) => {
    const [first = '', ...members] = target.split(/[.#]/).filter((part) => part !== '');
    if (!names.all.has(first) && !exported.has(first) && !(first in globalThis)) return true;
    return members.some((member, at) => !hasMember(at === 0 ? first : (members[at - 1] ?? ''), member, index));
  });
}

/** Returns the names that a source text exports in declarations. */
function exportedNames(text: string): string[] {
  const declarations = /^export (?:abstract |async )*(?:class|const|function\*?|interface|type|enum) (\w+)/gm;
  return [...text.matchAll(declarations)].map(([, name = '']) => name);
}

describe('links in docstrings', () => {
  it('name declarations and members that exist in the file or that another file exports', () => {
    const sources = folders
      .flatMap(sourcesBelow)
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    const owners = new Set(sources.flatMap(({ text }) => linksOf(text).map((target) => target.split(/[.#]/)[0] ?? '')));
    const ownerPattern = new RegExp(String.raw`\b(?:class|interface|type|const) (?:${[...owners].join('|')})\b`);
    const parsed = sources
      .filter(({ text }) => text.includes('{@link') || ownerPattern.test(text))
      .map(({ path, text }) => ({ path, text, names: namesOf(path, text) }));
    const index = mergeNames(parsed.map(({ names }) => names));
    const exported = new Set(sources.flatMap(({ text }) => exportedNames(text)));
    const broken = parsed.flatMap(({ path, text, names }) =>
      brokenLinks(text, names, exported, index).map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
    // Parses most files of the repository, which takes a minute on a busy machine.
  }, 240_000);

  it.each([
    ['a name', '/** Like {@link missing}. */'],
    ['a member of a class', '/** Like {@link Account.missing}. */'],
    ['a name in the middle of a long docstring', '/**\n * Opens an account, see {@link\n * missing}.\n */'],
  ])('cause an error when a link refers to %s that does not exist', (_what, docstring) => {
    const text = `${docstring}\nclass Account { open() {} }`;
    const names = namesOf('a.ts', text);
    expect(brokenLinks(text, names, new Set(['Bank']), mergeNames([names]))).toHaveLength(1);
  });

  it('accept visible names, inherited members, globals and URLs', () => {
    const text = `import { Account } from './account.js';
      /** Like {@link Account}, {@link Bank}, {@link Savings.open}, {@link Map} and {@link https://example.com/ the page}. */
      class Base { open() {} }
      class Savings extends Base {}`;
    const names = namesOf('a.ts', text);
    expect(brokenLinks(text, names, new Set(['Bank']), mergeNames([names]))).toEqual([]);
  });
});
