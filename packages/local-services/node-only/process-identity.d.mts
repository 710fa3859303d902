/**
 * Returns the start time of a process, as a text that no later process with the same pid has; null if the process does
 * not run.
 */
export function readProcessStartTime(pid: number): string | null;
/** Returns true if the process runs. A zombie process counts as ended. */
export function isProcessRunning(pid: number): boolean;
/** Returns the program and the arguments of a process, joined by spaces; null if they cannot be read. */
export function readCommandLine(pid: number): string | null;
