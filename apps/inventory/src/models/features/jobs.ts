/** Models whose objects have jobs. */
export const withJobs = ['core.datasource', 'extras.script', 'extras.scriptmodule'];
