import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { parse } from 'yaml';

/** JSON text of a parsed YAML text, or the reason why the YAML text is invalid. */
export type YamlParseResult = { readonly json: string } | { readonly error: string };

/**
 * Maximum length, in characters, of a YAML text that is parsed in the main thread. A longer text is parsed in a worker
 * thread.
 */
const maxMainThreadYamlLength = 4096;

/**
 * Maximum length, in characters, of the JSON made from a YAML text. Each YAML alias repeats the value to which it
 * refers, so that a short YAML text can become a long JSON text.
 */
const maxYamlJsonLength = 1_048_576;

// YAML 1.1 and repeated keys as in the reference API. Looking for repeated keys takes a long time.
const yamlParseOptions = { version: '1.1', maxAliasCount: 100, logLevel: 'error', uniqueKeys: false } as const;

/**
 * Source code of the worker thread that parses YAML. The code is JavaScript instead of TypeScript, because the build
 * does not compile it.
 */
const yamlWorkerSourceCode = `
  const { parentPort, workerData: { module, text, options } } = require('node:worker_threads');
  const { parse } = require(module);
  try {
    parentPort.postMessage({ json: JSON.stringify(parse(text, options) ?? null) });
  } catch (error) {
    parentPort.postMessage({ error: error.message });
  }`;

/**
 * Promise that settles after the last long YAML text in the queue was parsed. Long texts are parsed one after another.
 */
let lastLongYamlParse: Promise<unknown> = Promise.resolve();

/**
 * Parses a text as YAML 1.1. A long text is parsed in a worker thread with limits on time and memory. The time can grow
 * with the square of the length.
 *
 * @param timeoutMs time limit for a long text
 */
export async function parseYaml(text: string, timeoutMs = 5000): Promise<YamlParseResult> {
  const found =
    text.length <= maxMainThreadYamlLength
      ? parseYamlInMainThread(text)
      : await runAfterLongYamlParses(() => parseYamlInWorkerThread(text, timeoutMs));
  if ('json' in found && found.json.length > maxYamlJsonLength) {
    return { error: `The file has more than ${maxYamlJsonLength} characters when its aliases are replaced.` };
  }
  return found;
}

function parseYamlInMainThread(text: string): YamlParseResult {
  try {
    const value: unknown = parse(text, yamlParseOptions);
    return { json: JSON.stringify(value ?? null) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : '' };
  }
}

function runAfterLongYamlParses<T>(work: () => Promise<T>): Promise<T> {
  const own = lastLongYamlParse.then(work);
  lastLongYamlParse = own.catch(() => undefined);
  return own;
}

async function parseYamlInWorkerThread(text: string, timeoutMs: number): Promise<YamlParseResult> {
  const module = createRequire(import.meta.url).resolve('yaml');
  const worker = new Worker(yamlWorkerSourceCode, {
    eval: true,
    env: {},
    workerData: { module, text, options: yamlParseOptions },
    resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 4 },
  });
  try {
    return await new Promise<YamlParseResult>((resolve) => {
      const tooSlow = (): void =>
        resolve({ error: 'The file takes too long or too much memory to be parsed as YAML.' });
      const timer = setTimeout(tooSlow, timeoutMs);
      worker.once('message', resolve).once('error', tooSlow).once('exit', tooSlow);
      worker.once('exit', () => clearTimeout(timer)).once('message', () => clearTimeout(timer));
    });
  } finally {
    await worker.terminate();
  }
}
