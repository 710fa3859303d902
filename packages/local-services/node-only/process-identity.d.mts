/**
 * Returns the start time of a process, as a text that no later process with the same pid has; null if the process does
 * not run.
 */
export function startTimeOf(pid: number): string | null;
/** Returns true if the process runs. A zombie process counts as ended. */
export function isRunning(pid: number): boolean;
/** Returns the program and the arguments of a process, joined by spaces; null if they cannot be read. */
export function commandLineOf(pid: number): string | null;
