import { integerVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

/**
 * Default value, in bytes, of the environment variable `RESPONSE_IN_MEMORY_BYTES`. Parsing and indenting so many bytes
 * takes less than 100 ms.
 */
export const defaultResponseInMemoryBytes = 4_194_304;

/** Environment variables that limit the size of responses. */
export const responseSizeEnvironmentVariables = z.object({
  RESPONSE_MAX_BYTES: integerVariableSchema({ min: 1 }).default(268_435_456).meta({
    description:
      'Largest response of a list, an object, an export or a bulk change, in bytes; a larger one is refused with 400. The default has room for 100,000 devices, which most JSON parsers read with about 2 GB of memory',
  }),
  RESPONSE_IN_MEMORY_BYTES: integerVariableSchema({ min: 1, max: 16_777_216 })
    .default(defaultResponseInMemoryBytes)
    .meta({
      description:
        'Largest response of a list, an object, an export or a bulk change that is built in memory, in bytes. A larger one is written to a temporary file and sent from there, in one line and never as an HTML page. The default has room for 1,000 devices',
    }),
  RESPONSE_MAX_FILES: integerVariableSchema({ min: 1 }).default(64).meta({
    description:
      'Most temporary files of large responses that one process has open at a time; a response that needs another one is refused with 503. Each takes a file descriptor until the client has read the response',
  }),
  RESPONSE_SEND_TIMEOUT_MS: integerVariableSchema({ min: 1, max: 2_147_483_647 }).default(600_000).meta({
    description:
      'Longest time in which a client reads a response from a temporary file, in milliseconds; its connection is closed then. The default is 450 kB a second for the largest response',
  }),
  RESPONSE_FOLDER: z
    .string()
    .default('.data/inventory-responses')
    .meta({ description: 'Folder of the temporary files of large responses, on a disk of this machine' }),
});
