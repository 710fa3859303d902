import { describe, expect, it } from 'vitest';
import { parseConfigFile } from './config-file.js';

/** Returns the values in a configuration file, and checks that the file has no problems. */
function valuesOf(text: string): Record<string, string> {
  const { assignments, problems } = parseConfigFile(text);
  expect(problems).toEqual([]);
  return Object.fromEntries([...assignments].map(([name, { value }]) => [name, value]));
}

const problemsOf = (text: string): string[] => parseConfigFile(text).problems.map(({ problem }) => problem);

describe('parseConfigFile', () => {
  it('skips blank lines and comments, even if indented', () => {
    expect(valuesOf('# PORT=1\n\n \t\n  # it\'s "open"\nPORT=2\n')).toEqual({ PORT: '2' });
  });

  it.each([
    ['A=plain', 'plain'],
    ['  A = spaced out \t', 'spaced out'],
    ['A=', ''],
    ["A=''", ''],
    ['A=x\r', 'x'],
    ['A=#fff', '#fff'],
    ['A=a#b', 'a#b'],
    ['A=a=b:c,d', 'a=b:c,d'],
    ['A=it\'s "here"', 'it\'s "here"'],
    ['A="two  words # no comment" ', 'two  words # no comment'],
    ['A=\'$HOME \\d "x" # `no`\'', '$HOME \\d "x" # `no`'],
    ["A='ends with \\\\'", 'ends with \\\\'],
    ['A="a \\"quote\\", a \\\\ and \\$1, but \\d"', 'a "quote", a \\ and $1, but \\d'],
    ['A="a\\\\n"', 'a\\n'],
    ['A=größe\u2028x', 'größe\u2028x'],
  ])('reads %j', (line, value) => {
    expect(valuesOf(`\n${line}\n`)).toEqual({ A: value });
  });

  it('uses the last of several lines with the same name', () => {
    expect(valuesOf('A=1\nB=2\nA=3')).toEqual({ A: '3', B: '2' });
  });

  it('parses a name such as __proto__ like any other name', () => {
    expect(parseConfigFile('__proto__=1\nconstructor=2').assignments.get('__proto__')).toEqual({ value: '1', line: 1 });
  });

  it.each([
    'A=$HOME',
    'A=a\\b',
    'A=a\\',
    'A=a # comment',
    'A=\u00a0a',
    'A=a\u0085',
    'A="$HOME"',
    'A="a\\nb"',
    'A="\\`"',
    "A='it\\'s'",
  ])('rejects %j, which Docker Compose and systemd parse differently, without its value', (line) => {
    const [problem = '', ...others] = problemsOf(`B=1\n${line}\nC=2`);
    expect(others).toEqual([]);
    expect(problem).toMatch(/^line 2 has a value that is read differently by Docker Compose and systemd/);
    expect(problem).not.toMatch(/HOME|it's/);
  });

  it.each([
    ['; comment of systemd', /neither NAME=value nor a comment/],
    ['export A=1', /neither NAME=value nor a comment/],
    ['A', /neither NAME=value nor a comment/],
    ['A: 1', /neither NAME=value nor a comment/],
    ['1A=1', /neither NAME=value nor a comment/],
    ['\ufeffA=1', /neither NAME=value nor a comment/],
    ['A="1" # comment', /text after the closing quotation mark/],
    ["A='1'B=2", /text after the closing quotation mark/],
    ['# continued \\', /comment that ends with/],
    ['A=a\0b', /control character/],
    ['A=a\rB=b', /control character/],
  ])('rejects %j with the number of its line', (line, problem) => {
    expect(problemsOf(`${line}\nB=2`)).toEqual([expect.stringMatching(problem)]);
    expect(problemsOf(`${line}\nB=2`)).toEqual([expect.stringMatching(/^line 1 /)]);
  });

  it('reports an unclosed quotation mark once, and no errors for the lines after it', () => {
    expect(problemsOf('A="-----BEGIN\nSECRET==\n; x\nEND"')).toEqual([
      'line 1 has a quotation mark without an end on the same line',
    ]);
  });
});
