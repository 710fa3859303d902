// @ts-check
import { spawn } from 'node:child_process';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';
import { ExplainedCommandError } from '../entry/progress-step.mjs';

/** Oldest version of Docker Compose that supports an optional `env_file`. */
const oldestComposeVersion = [2, 24];

/**
 * Runs the docker client in PATH.
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, input?: string }} [options]
 * @returns {Promise<string>} standard output of the docker client
 * @throws ExplainedCommandError with the end of the output if the docker client fails
 */
export async function runDockerCommand(args, { env = process.env, input } = {}) {
  const child = spawn('docker', args, { cwd: repositoryRoot, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (/** @type {Buffer} */ chunk) => (output += chunk.toString()));
  child.stderr.on('data', (/** @type {Buffer} */ chunk) => (errors += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return output;
  const tail = `${output}${errors}`.trim().split('\n').slice(-40).join('\n');
  throw new ExplainedCommandError(`docker ${args.join(' ')} ended with exit code ${code}:\n${tail}`);
}

/**
 * Checks that a container engine runs and that Docker Compose can read the repository's compose file.
 * @throws ExplainedCommandError
 */
export async function checkContainerEngine() {
  const version = await runDockerCommand(['compose', 'version', '--short']).catch((/** @type {Error} */ error) => {
    throw new ExplainedCommandError(`Docker Compose is required: ${error.message}`);
  });
  const [major = 0, minor = 0] = version.trim().replace(/^v/, '').split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = oldestComposeVersion;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new ExplainedCommandError(
      `Docker Compose ${version.trim()} is too old: ${oldestComposeVersion.join('.')} or later is required.`,
    );
  }
  await runDockerCommand(['info', '--format', '{{.ServerVersion}}']).catch((/** @type {Error} */ error) => {
    throw new ExplainedCommandError(`The container engine does not respond: ${error.message}`);
  });
}

/** A Docker Compose project: the unchanged compose file of the repository, with a separate environment file. */
export class ComposeProject {
  /**
   * @param {string} name
   * @param {string} environmentFile
   * @param {NodeJS.ProcessEnv} env variables for the compose file, in addition to those of the environment file
   */
  constructor(name, environmentFile, env) {
    this.name = name;
    this.env = { ...process.env, ...env };
    this.prefix = ['compose', '-p', name, '--env-file', environmentFile, '-f', 'docker/compose.yaml'];
  }

  /**
   * Runs a command of Docker Compose on the project and returns the output.
   * @param {string[]} args
   */
  runCompose(...args) {
    return runDockerCommand([...this.prefix, ...args], { env: this.env });
  }

  /**
   * Starts the services of the Compose project and waits until every service is healthy.
   * @param {string[]} options options of Docker Compose itself, such as a profile
   */
  startServices(...options) {
    return runDockerCommand([...this.prefix, ...options, 'up', '-d', '--wait', '--wait-timeout', '300'], {
      env: this.env,
    });
  }

  /**
   * Runs a program in the container of a service and returns the output.
   * @param {string} service
   * @param {string[]} command
   */
  runInContainer(service, ...command) {
    return this.runCompose('exec', '-T', service, ...command);
  }
}
