import type { HostileSubject, Session } from '../hostile-request.js';
import type { Call } from '../send-hostile-request.js';
import { get, numbers, send } from './list-hostile-calls.js';
import { adminCall } from './calls-with-preparation.js';

/**
 * Adds a linkifier (a pattern whose matches become links) as an administrator. Returns a request that renders a text
 * with this linkifier.
 */
async function renderedWithLinkifier(session: Session, pattern: string, content: string): Promise<Call> {
  const form = { pattern, url_template: 'https://example.com/' };
  await session.ask(await adminCall(session, send('POST', 'realm/filters', form)));
  return send('POST', 'messages/render', { content });
}

function linkifierRequest(pattern: string) {
  return (session: Session): Promise<Call[]> =>
    adminCall(session, send('POST', 'realm/filters', { pattern, url_template: 'https://example.com/' })).then(
      (call) => [call],
    );
}

/**
 * Hostile requests to chat with costly linkifier patterns, and with texts in which a search for linkifiers is costly.
 */
export const patterns: HostileSubject = {
  subject: 'patterns',
  requests: [
    {
      title: 'a linkifier that repeats a repetition, and a message that it nearly matches',
      statuses: [200],
      calls: async (session) => [await renderedWithLinkifier(session, '(?:a+)+#', `${'a'.repeat(9_000)}!`)],
    },
    {
      title: 'a linkifier that reads to the end of the message at each of 4,000 matches',
      statuses: [200],
      calls: async (session) => [await renderedWithLinkifier(session, 'x(?:.*y#)?', 'x '.repeat(4_900))],
    },
    {
      title: 'a linkifier of 900 optional letters, and a message of that letter',
      statuses: [200, 400],
      calls: async (session) => {
        const [add] = await linkifierRequest(`${'b?'.repeat(450)}${'b'.repeat(50)}#`)(session);
        return [...(add === undefined ? [] : [add]), send('POST', 'messages/render', { content: 'b'.repeat(9_900) })];
      },
    },
    { title: 'a linkifier with a back reference', statuses: [400], calls: linkifierRequest(String.raw`(a+)\1#`) },
    {
      title: 'a linkifier that repeats a million times',
      statuses: [400],
      calls: linkifierRequest('((c{1000}){1000})#'),
    },
    {
      title: 'a search for 300 words that are in no message',
      statuses: [200, 400],
      calls: () => {
        const operand = numbers(300)
          .map((id) => `word${id}`)
          .join(' ');
        const narrow = JSON.stringify([{ operator: 'search', operand }]);
        return [get('messages', { narrow, anchor: 'newest', num_before: '100', num_after: '0' })];
      },
    },
    {
      title: 'a search whose 200 phrases open and do not close',
      statuses: [200, 400],
      calls: () => {
        const narrow = JSON.stringify([{ operator: 'search', operand: '"a '.repeat(200) }]);
        return [get('messages', { narrow, anchor: 'newest', num_before: '100', num_after: '0' })];
      },
    },
    {
      title: 'sixty searches for the same letter in quotation marks, 240 times each',
      statuses: [400],
      calls: () => {
        const narrow = JSON.stringify(numbers(60).map(() => ({ operator: 'search', operand: '"a" '.repeat(240) })));
        return [get('messages', { narrow, anchor: 'newest', num_before: '5000', num_after: '0' })];
      },
    },
    {
      title: 'a search for 90 single letters in 5,000 messages',
      statuses: [200, 400],
      calls: () => {
        const letters = numbers(90)
          .map((id) => `"${String.fromCodePoint(32 + id)}"`)
          .join(' ');
        const narrow = JSON.stringify([{ operator: 'search', operand: letters }]);
        return [get('messages', { narrow, anchor: 'newest', num_before: '5000', num_after: '0' })];
      },
    },
  ],
};
