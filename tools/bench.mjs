// @ts-check
/** `npm run bench`: runs the benchmarks of bench/, which the set-up compiles. Arguments select suites. */
import '../bench/dist/main.js';
