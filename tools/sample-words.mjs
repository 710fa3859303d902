// @ts-check
/**
 * `node tools/sample-words.mjs [seed] [--size=100]`: prints random samples of docstrings, test titles, file names and
 * identifiers, for readers who grade them without reading the code. The seed is eight hexadecimal digits (default: the
 * first eight of the last commit's id). Runs with equal seed and commit print equal samples.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';
import { listSpecFiles, listTestTitles } from './test-titles.mjs';

const repositoryRoot = fileURLToPath(new URL('..', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string', default: '100' } },
});

/** @param {...string} args */
const runGitCommand = (...args) =>
  execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const randomSampleSeed = positionals[0] ?? runGitCommand('rev-parse', 'HEAD').slice(0, 8);
if (!/^[0-9a-f]{8}$/.test(randomSampleSeed))
  throw new Error(`The seed has to be eight hexadecimal digits: ${randomSampleSeed}`);

/**
 * Returns a generator of pseudorandom numbers from 0 (inclusive) to 1 (exclusive). The algorithm is mulberry32.
 *
 * @param {number} state
 */
function createSeededRandomNumberGenerator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const nextRandomNumber = createSeededRandomNumberGenerator(Number.parseInt(randomSampleSeed, 16));

/**
 * Returns a random selection of `size` texts from `population`, in random order and without repetitions.
 *
 * @param {string[]} population
 * @param {number} size
 */
function selectRandomTexts(population, size) {
  const rest = [...population];
  return Array.from({ length: Math.min(size, rest.length) }, () => {
    const index = Math.floor(nextRandomNumber() * rest.length);
    return rest.splice(index, 1)[0] ?? '';
  });
}

/** Paths of the project's source files, without generated files. */
const projectSourcePaths = runGitCommand('ls-files', '--', 'apps', 'bench', 'docker', 'packages', 'test', 'tools')
  .split('\n')
  .filter((path) => /\.(ts|mjs)$/.test(path) && !/(^|\/)(generated|pack-fixture[^/]*)\//.test(path))
  .toSorted();

/** @param {string} path */
const readSourceFile = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** @param {string} path */
const isTestPath = (path) => /\.spec\.ts$|(^|\/)test\//.test(path);

/**
 * Returns the docstrings of a source text, converted to one line each.
 *
 * @param {string} text
 */
function listDocstrings(text) {
  return [...text.matchAll(/\/\*\*(?!\*)([\s\S]*?)\*\//g)]
    .map(([, body = '']) =>
      body
        .replaceAll(/^\s*\*/gm, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((body) => body !== '' && !/^@(type|typedef|param|import)\b/.test(body));
}

/**
 * Returns the names of functions, classes, types, top-level constants and methods of a source text.
 *
 * @param {string} text
 */
function listIdentifiers(text) {
  /** @type {string[]} */
  const found = [];
  /** @param {any} node */
  const visit = (node) => {
    const declared = node.declaration ?? node;
    if (declared.id?.name) found.push(declared.id.name);
    for (const { id } of declared.declarations ?? []) if (id?.name) found.push(id.name);
    for (const member of declared.body?.body ?? []) {
      if (member.type === 'MethodDefinition' && member.key?.name && member.kind !== 'constructor') {
        found.push(`${declared.id?.name}.${member.key.name}`);
      }
    }
  };
  for (const node of parseAst(text, { lang: 'ts' }).body) visit(node);
  return found;
}

const testTitlesWithDescribes = ['apps', 'packages', 'test', 'tools']
  .flatMap((folder) => listSpecFiles(repositoryRoot, folder))
  .toSorted()
  .flatMap((path) =>
    listTestTitles(readSourceFile(path)).map(({ describes, title }) => [...describes, title].join(' > ')),
  );

const nonTestSourcePaths = projectSourcePaths.filter((path) => !isTestPath(path));

const sampledTextsByKind = {
  docstrings: projectSourcePaths.flatMap((path) => listDocstrings(readSourceFile(path))),
  'test titles': testTitlesWithDescribes,
  'file names': projectSourcePaths,
  identifiers: [...new Set(nonTestSourcePaths.flatMap((path) => listIdentifiers(readSourceFile(path))))],
};

console.log(`Seed ${randomSampleSeed}`);
for (const [name, population] of Object.entries(sampledTextsByKind)) {
  console.log(`\n## ${name} (${population.length})\n`);
  for (const [index, text] of selectRandomTexts(population, Number(values.size)).entries())
    console.log(`${index + 1}. ${text}`);
}
