import type { ConfigProblem } from './config-error.js';

/** Parsed content of a configuration file: variable values and problems. */
export interface ConfigFile {
  /**
   * Values by variable name, each with the number of its line in the configuration file. If several lines have the same
   * name, the last line is used.
   */
  readonly assignments: ReadonlyMap<string, { readonly value: string; readonly line: number }>;
  /** Problems of lines that cannot be used, with line numbers. The problem texts never contain a part of a value. */
  readonly problems: readonly ConfigProblem[];
}

const assignmentPattern = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*?)[ \t]*$/s;
const blankOrCommentPattern = /^[ \t]*(#.*)?$/s;

// Docker Compose lets a backslash escape the closing quotation mark, systemd does not.
const singleQuotedPattern = /^'((?:[^'\\]|\\[^'])*)'$/s;
// `$` begins a variable in Docker Compose. Of the escape sequences, those excluded here mean different characters.
const doubleQuotedPattern = /^"((?:[^"\\$]|\\[^abcfnrtv0`])*)"$/s;
/**
 * Regular expression for values without quotation marks that Docker Compose and systemd read differently. Docker
 * Compose removes all Unicode spaces at both ends of a value. These include U+0085, which `\s` does not match in
 * JavaScript.
 */
const ambiguousUnquotedPattern = /[\\$]| #|^[\s\u0085]|[\s\u0085]$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controlCharacterPattern = /[\0-\u0008\u000b-\u001f\u007f]/;

const differingReadersMessage = 'is read differently by Docker Compose and systemd';

/**
 * Parses a file of `NAME=value` lines. The syntax is the common part of `env_file` of Docker Compose and of
 * `EnvironmentFile=` of systemd. A line is accepted if both programs read the same value. Values that span several
 * lines are not accepted. Every other line is reported as a problem.
 *
 * Sources: https://docs.docker.com/reference/compose-file/services/#env_file-format and systemd.exec(5).
 */
export function parseConfigFile(text: string): ConfigFile {
  const assignments = new Map<string, { readonly value: string; readonly line: number }>();
  const problems: ConfigProblem[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const read = parseConfigLine(line);
    if (read === null) continue;
    if ('value' in read) {
      assignments.set(read.name, { value: read.value, line: index + 1 });
      continue;
    }
    problems.push({ name: 'CONFIG_FILE', problem: `line ${index + 1} ${read.problem}` });
    // The following lines are part of the value for Docker Compose and systemd.
    if (read.isOpen === true) break;
  }
  return { assignments, problems };
}

type ConfigLine = { readonly name: string; readonly value: string } | ConfigLineProblem;

interface ConfigLineProblem {
  readonly problem: string;
  /** True if a quotation mark in the line is not closed on the same line. */
  readonly isOpen?: boolean;
}

/**
 * Parses one line of a configuration file. Returns the variable or a problem; returns null for a blank line or a
 * comment.
 */
function parseConfigLine(line: string): ConfigLine | null {
  if (controlCharacterPattern.test(line)) return { problem: 'contains a control character' };
  if (blankOrCommentPattern.test(line)) {
    // Up to version 253, systemd continues such a comment on the next line.
    return line.endsWith('\\') ? { problem: `is a comment that ends with \\, which ${differingReadersMessage}` } : null;
  }
  const [, name, text] = assignmentPattern.exec(line) ?? [];
  if (name === undefined || text === undefined) return { problem: 'is neither NAME=value nor a comment after #' };
  const value = parseConfigValue(text);
  return typeof value === 'string' ? { name, value } : value;
}

function parseConfigValue(text: string): string | ConfigLineProblem {
  if (text.startsWith("'")) return singleQuotedPattern.exec(text)?.[1] ?? describeQuotedValueProblem(text, /^'[^']*'/);
  if (text.startsWith('"')) {
    const content = doubleQuotedPattern.exec(text)?.[1];
    return content?.replaceAll(/\\(["\\$])/g, '$1') ?? describeQuotedValueProblem(text, /^"(?:[^"\\]|\\.)*"/s);
  }
  if (!ambiguousUnquotedPattern.test(text)) return text;
  return { problem: `has a value that ${differingReadersMessage}: put a value with $, \\ or " #" into single quotes` };
}

/**
 * Returns the problem of a quoted value that cannot be parsed. `quoted` is a regular expression that matches the quoted
 * part of the text.
 */
function describeQuotedValueProblem(text: string, quoted: RegExp): ConfigLineProblem {
  const part = quoted.exec(text)?.[0];
  if (part === undefined) return { problem: 'has a quotation mark without an end on the same line', isOpen: true };
  if (part.length < text.length && !part.endsWith("\\'"))
    return { problem: 'has text after the closing quotation mark' };
  return {
    problem: `has a value that ${differingReadersMessage}: put a value with $ or \\ into single quotes, without \\' in it`,
  };
}
