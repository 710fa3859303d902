// @ts-check

/** Oldest version of Node that the dependencies support, as in `engines` of the root package.json. */
const oldestNodeVersion = [20, 19, 0];

/**
 * Checks if the running version of Node is supported. The function is written in old syntax, so that old versions of
 * Node can print the message.
 *
 * @param {string} version `process.version`
 * @returns {string | null} error message with a solution, or null if the version is supported
 */
export function findNodeVersionProblem(version) {
  const parts = version.replace(/^v/, '').split('.').map(Number);
  for (let index = 0; index < oldestNodeVersion.length; index += 1) {
    const difference = Number(parts[index]) - Number(oldestNodeVersion[index]);
    if (difference > 0) return null;
    if (difference < 0) {
      return (
        'Switchboard needs Node ' +
        oldestNodeVersion.join('.') +
        ' or newer; this is ' +
        version +
        ' (' +
        process.execPath +
        ').\n' +
        'Install a current one from https://nodejs.org or with your version manager, for example: nvm install 22'
      );
    }
  }
  return null;
}
