import type { HostileSubject } from '../hostile-request.js';
import { get, numbers, patch, post, repeatedParameter } from './list-hostile-calls.js';

/**
 * Text that almost matches regular expressions with repetitions. The failed match has a very large number of partial
 * matches.
 */
const almostMatchingText = `${'a'.repeat(5_000)}b`;

const patternQuery = (text: string): string => encodeURIComponent(text);

/** Hostile requests to the inventory with regular expressions and substring searches. */
export const patterns: HostileSubject = {
  subject: 'patterns',
  requests: [
    {
      title: 'an attribute of a related object that is compared with back references',
      statuses: [400],
      calls: async (session) => {
        await session.ask(post('dcim/sites/', { name: 'almost', slug: 'almost', comments: almostMatchingText }));
        return [post('dcim/racks/', { name: 'x', site: { comments__regex: String.raw`^(a+)(a+)(a+)(a+)\1\2c$` } })];
      },
    },
    {
      title: 'twelve concurrent writes with such an attribute',
      statuses: [400],
      calls: () =>
        numbers(12).map((n) =>
          post('dcim/racks/', { name: `x${n}`, site: { comments__iregex: String.raw`^(a+)(a+)(a+)\2c$` } }),
        ),
    },
    {
      title: 'a filter with back references',
      statuses: [400],
      calls: () => [get(`dcim/sites/?name__regex=${patternQuery(String.raw`(a*)*\1$`)}`)],
    },
    {
      title: 'a filter whose counted groups multiply',
      statuses: [400],
      calls: () => [get(`dcim/sites/?name__regex=${patternQuery('(((a{1,99}){1,99}){1,99}){1,99}$')}`)],
    },
    {
      title: 'a related object by counted groups that multiply',
      statuses: [400],
      calls: () => [post('dcim/racks/', { name: 'x', site: { comments__regex: '^((a{1,200}){1,200}){1,5}c$' } })],
    },
    {
      title: 'a filter that looks ahead in many ways',
      statuses: [200, 400],
      calls: () => [get(`dcim/sites/?name__iregex=${patternQuery('^(?=(a|aa)+$)(?=(a|aaa)+$)(?!(aa)+b)(a+)+c$')}`)],
    },
    {
      title: 'a pattern longer than allowed',
      statuses: [400],
      calls: () => [get(`dcim/sites/?name__regex=${patternQuery('(a|b)?'.repeat(500))}`)],
    },
    {
      title: 'hundreds of patterns of one filter',
      statuses: [200, 400],
      calls: () => [
        get(
          `dcim/sites/?${repeatedParameter(
            'name__regex',
            numbers(500).map((n) => `^(a|b|${n})+$`),
          )}`,
        ),
      ],
    },
    {
      title: 'a long text to search in other texts',
      statuses: [400],
      calls: () => [get(`dcim/sites/?q=${'a'.repeat(10_000)}b`)],
    },
    {
      title: 'a custom field whose values must match back references',
      statuses: [400],
      calls: () => [
        post('extras/custom-fields/', {
          name: 'backwards',
          type: 'text',
          object_types: ['dcim.site'],
          validation_regex: String.raw`^(a+)(a+)(a+)\1\2c$`,
        }),
      ],
    },
    {
      title: 'values of a custom field that nearly match',
      statuses: [400],
      calls: async (session) => {
        await session.ask(
          post('extras/custom-fields/', {
            name: 'nearly',
            type: 'text',
            object_types: ['dcim.location'],
            validation_regex: '^(a|aa|aaa)+(a+)+(aa)*c$',
          }),
        );
        const site = { slug: 'almost' };
        return [
          post(
            'dcim/locations/',
            numbers(100).map((n) => ({
              name: `n${n}`,
              slug: `n${n}`,
              site,
              custom_fields: { nearly: almostMatchingText },
            })),
          ),
        ];
      },
    },
    {
      title: 'a permission whose constraint has back references',
      statuses: [400],
      calls: () => [
        post('users/permissions/', {
          name: 'backwards',
          object_types: ['dcim.site'],
          actions: ['view'],
          constraints: { comments__regex: String.raw`(a*)\1` },
        }),
      ],
    },
    {
      title: 'an event rule whose condition is a pattern that nearly matches',
      statuses: [200],
      calls: async (session) => {
        await session.ask(
          post('extras/webhooks/', { name: 'nearly', payload_url: 'http://127.0.0.1:9/', http_method: 'POST' }),
        );
        await session.ask(
          post('extras/event-rules/', {
            name: 'nearly',
            object_types: ['dcim.site'],
            event_types: ['object_updated'],
            action_type: 'webhook',
            action_object_type: 'extras.webhook',
            action_object_id: 1,
            conditions: { attr: 'comments', op: 'regex', value: '(a*)*(a|aa)+c' },
          }),
        );
        return [patch('dcim/sites/', [{ id: 1, comments: almostMatchingText.repeat(20) }])];
      },
    },
  ],
};
