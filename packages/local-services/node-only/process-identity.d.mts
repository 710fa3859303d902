/** When a process began, as a text that no later process with the same pid repeats; null when it does not run. */
export function startTimeOf(pid: number): string | null;
/** Whether the process runs; a zombie does not. */
export function isRunning(pid: number): boolean;
/** Program and arguments, joined by spaces; null when it cannot be read. */
export function commandLineOf(pid: number): string | null;
