import type { HostileRequest, HostileSubject } from '../hostile-request.js';
import { numbers, post } from './list-hostile-calls.js';

/**
 * Accepted response statuses of a request that renders a template. A failing template gets 500, as in the reference
 * API.
 */
const statuses = [200, 400, 500];

/** Returns a hostile request that stores a template and renders it. */
function renderingRequest(title: string, code: string): HostileRequest {
  const name = title.slice(0, 90);
  return {
    title,
    statuses,
    calls: async (session) => {
      const made = await session.ask(post('extras/config-templates/', { name, template_code: code }));
      const id: unknown = Reflect.get(Object(made), 'id');
      return [post(`extras/config-templates/${String(id)}/render/`, {})];
    },
  };
}

/** Hostile requests to the inventory that render templates written by users. */
export const templates: HostileSubject = {
  subject: 'templates',
  requests: [
    renderingRequest('the beginnings of comments without an end', '{{ ("<!--" * 400000)|striptags|length }}'),
    renderingRequest(
      'a search for a text that nearly is there',
      '{% set t = "a" * 900000 %}{{ t.partition("b" ~ "a" * 400000)|length }}',
    ),
    renderingRequest(
      'a text that is compared with a list of its like',
      '{% set t = "a" * 600000 %}{{ t.startswith([t ~ "b"] * 90000) }}',
    ),
    renderingRequest(
      'a list that is sorted by a path without end',
      '{{ ([{"a": 1}] * 20000)|sort(attribute="a," * 100000)|length }}',
    ),
    renderingRequest(
      'loops in loops',
      '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}',
    ),
    renderingRequest(
      'a text that doubles',
      '{% set n = namespace(t="a") %}{% for x in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}',
    ),
    renderingRequest('a macro that calls itself', '{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}'),
    renderingRequest('letters beyond ASCII as JSON', '{{ ("é" * 8000000)|tojson|length }}'),
    {
      title: 'a template of a hundred thousand tags that are never closed',
      statuses: [201, 400],
      calls: () => [post('extras/config-templates/', { name: 'open', template_code: '{% if a %}'.repeat(100_000) })],
    },
    {
      title: 'a template that begins the same comment over and over',
      statuses: [201, 400],
      calls: () => [post('extras/config-templates/', { name: 'comments', template_code: '{#'.repeat(500_000) })],
    },
    {
      title: 'twenty concurrent renderings that use their whole time limit',
      statuses,
      calls: async (session) => {
        const template_code = '{% for a in range(99999) %}{{ a is divisibleby 3 }}{% endfor %}';
        const made = await session.ask(post('extras/config-templates/', { name: 'busy', template_code }));
        const id: unknown = Reflect.get(Object(made), 'id');
        return numbers(20).map(() => post(`extras/config-templates/${String(id)}/render/`, {}));
      },
    },
  ],
};
