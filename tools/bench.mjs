// @ts-check
/** `npm run bench`: runs the compiled benchmarks in bench/. Arguments are names of the benchmark suites to run. */
import '../bench/dist/main.js';
