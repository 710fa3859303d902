// @ts-check
/** `npm run bench`: the benchmarks of bench/, compiled by the set-up. Arguments choose some of them. */
import '../bench/dist/main.js';
