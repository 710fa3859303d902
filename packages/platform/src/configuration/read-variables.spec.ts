import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { integerVariableSchema, listVariableSchema } from './environment-variable-schemas.js';
import { ConfigError } from './config-error.js';
import { parseEnvironmentValues, parseEnvironment } from './parse-environment.js';

const schema = z.object({
  CONFIG_FILE: z.string().optional(),
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  PORT: integerVariableSchema({ min: 1, max: 65_535 }).default(8000),
  GREETING: z.string().default('hello').meta({ emptyIsGiven: true }),
  PEPPER: z.string().min(8).default('development').meta({ secret: true, requiredInProduction: true }),
  EXTRA_NAMES: listVariableSchema().prefault('').meta({ listsVariables: true }),
});

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'configuration-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a temporary file with the given content and returns its path. */
function fileOf(content: string | Buffer): string {
  const path = join(folder, String((files += 1)));
  writeFileSync(path, content);
  return path;
}

const withFile = (content: string, env: Record<string, string> = {}) => ({ CONFIG_FILE: fileOf(content), ...env });

/** Returns the message of the ConfigError with which a configuration is rejected. */
function refusal(env: Record<string, string>, of: z.ZodObject = schema): string {
  try {
    parseEnvironmentValues(of, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

describe('CONFIG_FILE', () => {
  it('supplies variables that the environment does not set', () => {
    const env = withFile('# both\nPORT=1\nGREETING="good day"\n', { PORT: '2' });
    expect(parseEnvironmentValues(schema, env)).toMatchObject({ PORT: 2, GREETING: 'good day' });
  });

  it('supplies a variable that is empty in the environment, unless the variable permits an empty string', () => {
    const env = withFile('PORT=1\nGREETING=hi', { PORT: '', GREETING: '' });
    expect(parseEnvironmentValues(schema, env)).toMatchObject({ PORT: 1, GREETING: '' });
  });

  it('supplies NODE_ENV, so that the rules for production apply', () => {
    expect(refusal(withFile('NODE_ENV=production'))).toBe(
      'The configuration cannot be used: PEPPER: must be given when NODE_ENV is production',
    );
  });

  it('accepts a pipe, because the file is read only once', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const writer = spawn('sh', ['-c', `printf 'PORT=7\\nEXTRA_NAMES=TEAM\\nTEAM=a\\n' > "$0"`, pipe], {
      stdio: 'ignore',
    });
    expect(parseEnvironment(schema, { CONFIG_FILE: pipe })).toMatchObject({
      config: { PORT: 7 },
      listedVariables: { TEAM: 'a' },
    });
    await once(writer, 'exit');
  });

  it('prevents the start with the names that are no variables, and their lines', () => {
    expect(refusal(withFile('PORT=1\nPROT=hunter2'))).toBe(
      'The configuration cannot be used: PROT: is not a variable of this service (line 2 of CONFIG_FILE)',
    );
    expect(refusal(withFile('PROT=1\nPORT_FILE_FILE=2'))).toMatch(/\n {2}PROT: [^\n]+\n {2}PORT_FILE_FILE: [^\n]+$/);
  });

  it('prevents the start without showing a name that may be part of a secret', () => {
    expect(refusal(withFile('PORT=1\nc2VjcmV0==\n'))).toBe(
      'The configuration cannot be used: CONFIG_FILE: line 2 names no variable of this service',
    );
  });

  it('prevents the start when the file itself contains CONFIG_FILE', () => {
    expect(refusal(withFile('CONFIG_FILE=/etc/other'))).toContain(
      'CONFIG_FILE: must not be given in the configuration',
    );
    expect(refusal(withFile('CONFIG_FILE_FILE=/etc/other'))).toContain('CONFIG_FILE_FILE: is not a variable');
  });

  it('prevents the start with a one-line error without the path when the file is unreadable', () => {
    expect(refusal({ CONFIG_FILE: join(folder, 'missing') })).toBe(
      'The configuration cannot be used: CONFIG_FILE: names a file that cannot be read (ENOENT)',
    );
    expect(refusal({ CONFIG_FILE: folder })).toContain('CONFIG_FILE: names a file that cannot be read (EISDIR)');
    expect(refusal({ CONFIG_FILE: fileOf(Buffer.from([0x41, 0x3d, 0xff])) })).toContain(
      'CONFIG_FILE: names a file that is not UTF-8 text',
    );
  });

  it('has no effect when the schema of the service does not declare CONFIG_FILE', () => {
    const own = z.object({ PORT: z.string().default('0') });
    expect(parseEnvironmentValues(own, withFile('PORT=1\nOTHER=2'))).toEqual({ PORT: '0' });
  });
});

describe('NAME_FILE', () => {
  it.each([
    ['9000', 9000],
    ['9000\n', 9000],
    ['9000\r\n', 9000],
  ])('supplies the content %j without the last line end', (content, port) => {
    expect(parseEnvironmentValues(schema, { PORT_FILE: fileOf(content) }).PORT).toBe(port);
  });

  it('supplies the content unchanged except for the last line end', () => {
    expect(parseEnvironmentValues(schema, { GREETING_FILE: fileOf(' $a\\n\n\n') }).GREETING).toBe(' $a\\n\n');
  });

  it('works as a line in the configuration file too', () => {
    const env = withFile(`PEPPER_FILE=${fileOf('long enough\n')}`);
    expect(parseEnvironmentValues(schema, env).PEPPER).toBe('long enough');
  });

  it('has the precedence of the source that contains NAME_FILE', () => {
    expect(parseEnvironmentValues(schema, withFile('PORT=1', { PORT_FILE: fileOf('2') })).PORT).toBe(2);
    expect(parseEnvironmentValues(schema, withFile(`PORT_FILE=${join(folder, 'missing')}`, { PORT: '3' })).PORT).toBe(
      3,
    );
  });

  it('prevents the start when the same source contains both NAME and NAME_FILE', () => {
    const path = fileOf('hunter2 hunter2');
    const message = 'The configuration cannot be used: PEPPER: is given twice, as PEPPER and as PEPPER_FILE';
    expect(refusal({ PEPPER: 'hunter3 hunter3', PEPPER_FILE: path })).toBe(message);
    expect(refusal(withFile(`PEPPER=hunter3 hunter3\nPEPPER_FILE=${path}`))).toBe(message);
    expect(parseEnvironmentValues(schema, { PEPPER: '', PEPPER_FILE: path }).PEPPER).toBe('hunter2 hunter2');
  });

  it('prevents the start with a one-line error without the path when the file is unusable', () => {
    const refused = (path: string): string => refusal({ PEPPER_FILE: path }).replace(/^.*?: /, '');
    expect(refused('1:a-secret-in-place-of-a-path')).toBe(
      'PEPPER: PEPPER_FILE names a file that cannot be read (ENOENT)',
    );
    expect(refused(folder)).toBe('PEPPER: PEPPER_FILE names a file that cannot be read (EISDIR)');
    expect(refused(fileOf('\n'))).toBe('PEPPER: PEPPER_FILE names an empty file');
    expect(refused(fileOf(Buffer.from([0xff, 0xfe])))).toBe('PEPPER: PEPPER_FILE names a file that is not UTF-8 text');
  });

  it('supplies an empty string to a variable that permits an empty string', () => {
    expect(parseEnvironmentValues(schema, { GREETING_FILE: fileOf('') }).GREETING).toBe('');
  });

  it('hides its content in errors, also of a variable that is no secret', () => {
    const message = refusal({ PORT_FILE: fileOf('hunter2') });
    expect(message).toContain('PORT: must be a whole number');
    expect(message).not.toContain('hunter');
  });
});

describe('variables listed by another variable', () => {
  const read = (env: Record<string, string>) => parseEnvironment(schema, env).listedVariables;

  it('come from the environment or the configuration file, or from a file named by NAME_FILE', () => {
    const env = withFile(`EXTRA_NAMES=TEAM, SITE,KEY,PORT,NONE\nTEAM=a\nKEY_FILE=${fileOf('k\n')}`, {
      SITE: '',
      PORT: '1',
    });
    expect(read(env)).toEqual({ TEAM: 'a', SITE: '', KEY: 'k', PORT: '1' });
  });

  it('exclude inherited object properties such as constructor', () => {
    expect(read({ EXTRA_NAMES: 'constructor,toString' })).toEqual({});
  });
});
