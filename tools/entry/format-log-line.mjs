// @ts-check

/**
 * Printed names of log levels, by the level in the log line. The names of levels from warning upwards are in capitals.
 */
const logLevelNameByNumber = new Map([
  ['trace', 'trace'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'WARN'],
  ['error', 'ERROR'],
  ['fatal', 'FATAL'],
]);

/**
 * Names of log fields that are not printed after the message, because these fields are equal in every line or are
 * printed before the message.
 */
const logFieldsNotPrinted = new Set(['level', 'time', 'msg', 'name', 'pid', 'hostname', 'v']);
const maxLoggedValueLength = 200;

/**
 * Returns the value of a log field as text. Long values are shortened, and an error is reduced to its message.
 *
 * @param {unknown} value
 */
function formatLogValue(value) {
  if (typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string') {
    return value.message;
  }
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxLoggedValueLength ? `${text.slice(0, maxLoggedValueLength)}...` : text;
}

/**
 * Returns the time of a log line as hours, minutes and seconds.
 * @param {unknown} time
 */
function formatTimeOfLogLine(time) {
  const date = typeof time === 'number' || typeof time === 'string' ? new Date(time) : new Date();
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8);
}

/**
 * Returns a JSON log line of a service in readable form: time, service, level, message, and remaining fields. A line
 * that is not JSON is returned unchanged after the name of the service.
 *
 * @param {string} service
 * @param {string} line
 */
export function formatLogLine(service, line) {
  const name = service.padEnd(9);
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${name} ${line}`;
  }
  if (typeof entry !== 'object' || entry === null || typeof entry.level !== 'string') return `${name} ${line}`;
  const level = (logLevelNameByNumber.get(entry.level) ?? entry.level).padEnd(5);
  const rest = Object.entries(entry)
    .filter(([key]) => !logFieldsNotPrinted.has(key))
    .map(([key, value]) => `${key}=${formatLogValue(value)}`);
  return [formatTimeOfLogLine(entry.time), name, level, entry.msg ?? '', ...rest]
    .filter((part) => part !== '')
    .join(' ');
}
