import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { convertJsonToYaml } from './convert-to-yaml.js';

describe('convertJsonToYaml', () => {
  it('quotes texts as JSON does, and quotes keys that are not identifiers', async () => {
    const document = {
      openapi: '3.0.3',
      paths: {
        '/api/x/': {
          get: { tags: ['a', 'b'], responses: { '200': { $ref: '#/x' } }, security: [{ token: [] }, {}] },
          head: {},
        },
      },
      info: {
        description: 'two lines,\nas "long" as a line that would be folded elsewhere \u0085 é',
        nested: [[1], []],
      },
      'x-flag': true,
      nothing: null,
      absent: undefined,
    };
    const text = await convertJsonToYaml(document);
    expect(text).toBe(`openapi: "3.0.3"
paths:
  "/api/x/":
    get:
      tags:
        - "a"
        - "b"
      responses:
        "200":
          $ref: "#/x"
      security:
        - token: []
        - {}
    head: {}
info:
  description: "two lines,\\nas \\"long\\" as a line that would be folded elsewhere \u0085 é"
  nested:
    - - 1
    - []
x-flag: true
nothing: null
`);
    expect(parse(text)).toEqual(document);
  });
});
