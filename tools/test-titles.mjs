// @ts-check
/** Reads the titles of tests from the syntax trees of spec files. The titles contain the placeholders of `it.each`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * Names of folders without spec files of the project. The search for spec files skips these folders, because they
 * contain many files.
 */
const foldersWithoutSpecFiles = new Set(['node_modules', 'dist', 'generated', '.data', '.git']);

/**
 * Pattern of the paths of files that may define tests. These are spec files, `describe-*.ts` files with tests that
 * several spec files use, and all files below the top folder `test`.
 */
const specFilePattern = /\.spec\.ts$|^test\/.+\.ts$|\/test\/(.*\/)?describe-[^/]+\.ts$/;

/** @typedef {{ describes: string[], title: string }} TestTitle */
/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} SyntaxNode */

/**
 * Returns the paths of the spec files below a folder, relative to `root` and separated by slashes.
 *
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
export function listSpecFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return foldersWithoutSpecFiles.has(entry.name) ? [] : listSpecFiles(root, path);
    return specFilePattern.test(path) ? [path] : [];
  });
}

/**
 * Returns the name of the function at the start of a call chain: `it` for `it.each(rows)(title, body)`.
 *
 * @param {SyntaxNode} callee
 * @returns {string | undefined}
 */
function getCalledFunctionName(callee) {
  if (callee.type === 'CallExpression') return getCalledFunctionName(callee['callee']);
  if (callee.type === 'TaggedTemplateExpression') return getCalledFunctionName(callee['tag']);
  if (callee.type === 'MemberExpression') return getCalledFunctionName(callee['object']);
  return callee.type === 'Identifier' ? callee['name'] : undefined;
}

/**
 * Returns the title of a call of `it`, `test` or `describe`, or of a function whose name begins with `it`, such as
 * `itOfEngine`. Returns undefined for any other node. A method such as `test.api.post` does not count: modifiers of
 * vitest directly follow the name.
 *
 * @param {SyntaxNode} node
 * @param {string} text
 */
function getTestTitle(node, text) {
  if (node.type !== 'CallExpression' || node['arguments'].length < 2) return undefined;
  const name = getCalledFunctionName(node['callee']);
  if (name === undefined || !/^(it|test|describe|it[A-Z]\w*)$/.test(name)) return undefined;
  const callee = text.slice(node['callee'].start, node['callee'].end);
  if (!/^\w+(\.(each|for|only|skip|skipIf|runIf|concurrent|sequential|todo))*(?![\w.])/.test(callee)) return undefined;
  const [title] = node['arguments'];
  if (title.type === 'TemplateLiteral') return { name, title: text.slice(title.start + 1, title.end - 1) };
  return title.type === 'Literal' && typeof title.value === 'string' ? { name, title: title.value } : undefined;
}

/**
 * Returns the tests of a spec file in order. A test contains its title and the titles of the enclosing `describe`
 * calls.
 *
 * @param {string} text
 * @returns {TestTitle[]}
 */
export function listTestTitles(text) {
  /** @type {TestTitle[]} */
  const found = [];
  /**
   * @param {unknown} node
   * @param {string[]} describes
   */
  const visit = (node, describes) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const child of node) visit(child, describes);
      return;
    }
    const syntax = /** @type {SyntaxNode} */ (node);
    const titled = getTestTitle(syntax, text);
    if (titled && titled.name !== 'describe') found.push({ describes, title: titled.title });
    const inner = titled?.name === 'describe' ? [...describes, titled.title] : describes;
    for (const child of Object.values(syntax)) visit(child, inner);
  };
  visit(parseAst(text, { lang: 'ts' }).body, []);
  return found;
}
