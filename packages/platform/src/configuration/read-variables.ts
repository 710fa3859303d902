import { readFileSync } from 'node:fs';
import type { ConfigProblem } from './config-error.js';
import { type ConfigFile, parseConfigFile } from './config-file.js';

// This module loads nothing but Node.js, because the health check of the image runs it every few seconds.

type OptionalVariables = Readonly<Record<string, string | undefined>>;

/** Names and properties of the environment variables that {@link readVariables} reads. */
export interface VariableNames {
  /**
   * Names of the variables to read. If the names include `CONFIG_FILE`, the configuration file with this path is also
   * read.
   */
  readonly names: readonly string[];
  /** Names of variables whose values list further variables to read, separated by commas. */
  readonly listing?: readonly string[];
  /**
   * Names of variables for which an empty string is a valid value. Other variables with an empty string are treated as
   * missing.
   */
  readonly emptyIsGiven?: readonly string[];
  /**
   * True if unknown names in the configuration file are ignored; false if each unknown name is reported as a problem.
   */
  readonly ignoresOthers: boolean;
}

/** Result of {@link readVariables}: the variables that were read, and the problems. */
export interface ReadVariablesResult {
  /** Values by variable name. Variables that are not set are absent. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of the variables whose values were read from files, such as secret files of a container engine. */
  readonly fromFiles: ReadonlySet<string>;
  /**
   * Values of variables that other variables list by name. Variables that are not set are absent; an empty string is a
   * valid value.
   */
  readonly listed: Readonly<Record<string, string>>;
  /**
   * Problems of files, and of variables that are set in two ways. The problem texts contain neither values nor file
   * paths.
   */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads variables from the environment and from the file named by `CONFIG_FILE`. Each variable may be given as `NAME`,
 * or as `NAME_FILE`, the path of a file whose content without the last line end is the value. The environment takes
 * precedence over the configuration file; this applies to both forms. Every file is read only once, so that the file
 * may be a pipe.
 */
export function readVariables(environment: OptionalVariables, traits: VariableNames): ReadVariablesResult {
  const { names, listing = [], emptyIsGiven = [], ignoresOthers } = traits;
  const problems: ConfigProblem[] = [];
  const fromFiles = new Set<string>();
  const own = names.filter((name) => name !== 'CONFIG_FILE');
  const file = own.length < names.length ? readConfigFile(environment, problems) : emptyAssignments;
  const ofFile = Object.fromEntries([...file].map(([name, { value }]) => [name, value]));
  const read = (name: string, allowsEmpty: boolean): [string, string][] => {
    const found =
      findVariableInSource(environment, name, allowsEmpty) ?? findVariableInSource(ofFile, name, allowsEmpty);
    if (found === null) return [];
    if (found.isFile) fromFiles.add(name);
    if ('value' in found) return [[name, found.value]];
    problems.push({ name, problem: found.problem });
    return [];
  };
  const values = Object.fromEntries(own.flatMap((name) => read(name, emptyIsGiven.includes(name))));
  const listedNames = [...new Set(listing.flatMap((name) => splitCommaSeparatedNames(values[name] ?? '')))];
  const listed = Object.fromEntries(
    listedNames.flatMap((name) => (own.includes(name) ? listOwnEntry(values, name) : read(name, true))),
  );
  if (!ignoresOthers) problems.push(...listUnknownNames(file, new Set([...own, ...listedNames])));
  return { values, fromFiles, listed, problems };
}

const emptyAssignments: ConfigFile['assignments'] = new Map();

function readConfigFile(
  { CONFIG_FILE: path = '' }: OptionalVariables,
  problems: ConfigProblem[],
): ConfigFile['assignments'] {
  if (path === '') return emptyAssignments;
  const read = readTextFile(path);
  if ('problem' in read) {
    problems.push({ name: 'CONFIG_FILE', problem: read.problem });
    return emptyAssignments;
  }
  const parsed = parseConfigFile(read.text);
  problems.push(...parsed.problems);
  return parsed.assignments;
}

type FoundVariableResult = { readonly isFile: boolean } & ({ readonly value: string } | { readonly problem: string });

/**
 * Returns the value of a variable in one source (environment or configuration file), or the problem of the value.
 * Returns null if the source does not set the variable.
 */
function findVariableInSource(
  source: OptionalVariables,
  name: string,
  allowsEmpty: boolean,
): FoundVariableResult | null {
  const value = getOwnValue(source, name);
  const isGiven = value !== undefined && (value !== '' || allowsEmpty);
  const path = getOwnValue(source, `${name}_FILE`) ?? '';
  if (path === '') return isGiven ? { value, isFile: false } : null;
  if (isGiven) return { problem: `is given twice, as ${name} and as ${name}_FILE`, isFile: true };
  const read = readTextFile(path);
  if ('problem' in read) return { problem: `${name}_FILE ${read.problem}`, isFile: true };
  const content = read.text.replace(/\r?\n$/, '');
  if (content === '' && !allowsEmpty) return { problem: `${name}_FILE names an empty file`, isFile: true };
  return { value: content, isFile: true };
}

/**
 * Reads a text file and returns its text or a problem. The problem does not contain the path, because a secret may have
 * been set as the path by mistake.
 */
function readTextFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { problem: 'names a file that is not UTF-8 text' };
    return { problem: `names a file that cannot be read (${code})` };
  }
}

function splitCommaSeparatedNames(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

function listOwnEntry(values: OptionalVariables, name: string): [string, string][] {
  const value = values[name];
  return value === undefined ? [] : [[name, value]];
}

/**
 * Returns the value of a variable, or undefined if it is not set. Ignores properties that every JavaScript object
 * inherits, such as `constructor`.
 */
function getOwnValue(source: OptionalVariables, name: string): string | undefined {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

function listUnknownNames(file: ConfigFile['assignments'], known: ReadonlySet<string>): ConfigProblem[] {
  return [...file].flatMap(([name, { line }]) => {
    if (known.has(name) || (name.endsWith('_FILE') && known.has(name.slice(0, -'_FILE'.length)))) return [];
    if (name === 'CONFIG_FILE') return { name, problem: 'must not be given in the configuration file itself' };
    // Another name is not shown, because it may be a part of a secret that fills several lines.
    return /^[A-Z][A-Z0-9_]*$/.test(name)
      ? { name, problem: `is not a variable of this service (line ${line} of CONFIG_FILE)` }
      : { name: 'CONFIG_FILE', problem: `line ${line} names no variable of this service` };
  });
}
